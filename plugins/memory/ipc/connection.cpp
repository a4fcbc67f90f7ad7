#include "connection.hpp"

#include "frame.hpp"
#include "pack_reader.hpp"

#include <sys/socket.h>
#include <cerrno>

namespace mqb::memory {

namespace {

constexpr std::size_t first_capacity = 8 << 10;    // a publisher that says little costs little
constexpr std::size_t usual_capacity = 256 << 10;  // as much as a socket holds by default
constexpr std::size_t least_room = 16 << 10;
constexpr std::size_t most_output = 1 << 20;  // of confirmations that nobody reads

}  // namespace

void confirmations::add(std::uint64_t connection, std::uint64_t frame) {
    std::lock_guard lock(mutex_);
    all_.push_back({connection, frame});
}

std::size_t confirmations::size() const {
    std::lock_guard lock(mutex_);
    return all_.size();
}

std::vector<confirmations::one> confirmations::take() {
    std::lock_guard lock(mutex_);
    return std::exchange(all_, {});
}

// Confirms a frame when all of its messages are settled.
class connection::frame_settlement final : public settlement {
public:
    frame_settlement(std::shared_ptr<confirmations> to, std::uint64_t connection, std::uint64_t frame, std::uint32_t count)
        : to_(std::move(to)), connection_(connection), frame_(frame), count_(count), open_(count), is_settled_(count) {}
    std::uint32_t count() const noexcept { return count_; }
    std::uint64_t frame() const noexcept { return frame_; }
    bool is_partly_settled() const noexcept {
        const std::uint32_t open = open_.load(std::memory_order_acquire);
        return open != 0 && open != count_;
    }
    // Of a frame that nobody settles any more.
    bool is_settled(std::uint32_t index) const noexcept { return is_settled_[index].load(std::memory_order_relaxed); }
    void acknowledged(std::uint32_t index) override {
        is_settled_[index].store(true, std::memory_order_relaxed);
        if (open_.fetch_sub(1, std::memory_order_acq_rel) == 1) to_->add(connection_, frame_);
    }
    void all_acknowledged(std::uint32_t first, std::uint32_t count) override {
        if (count != count_)
            for (std::uint32_t i = 0; i < count; ++i) is_settled_[first + i].store(true, std::memory_order_relaxed);
        if (open_.fetch_sub(count, std::memory_order_acq_rel) == count) to_->add(connection_, frame_);
    }

private:
    const std::shared_ptr<confirmations> to_;
    const std::uint64_t connection_, frame_;
    const std::uint32_t count_;
    std::atomic<std::uint32_t> open_;
    std::vector<std::atomic<bool>> is_settled_;
};

namespace {

template <int Bytes>
void put_number(std::string& to, char kind, std::uint64_t number) {
    to += kind;
    for (int shift = 8 * (Bytes - 1); shift >= 0; shift -= 8) to += static_cast<char>(number >> shift & 0xff);
}

// A frame whose body is an array of so many things that `put_things` appends.
template <class Put>
void put_frame(std::string& to, std::size_t things, const Put& put_things) {
    const std::size_t at = to.size();
    to.append(length_size, '\0');
    put_number<4>(to, '\xdd', things);
    put_things();
    put_length(reinterpret_cast<std::uint8_t*>(to.data()) + at, static_cast<std::uint32_t>(to.size() - at - length_size));
}

}  // namespace

connection::connection(descriptor socket, std::uint64_t number, std::shared_ptr<confirmations> to, unfinished_frames& all)
    : socket_(std::move(socket)), number_(number), peer_(peer_of(socket_.get())), confirmations_(std::move(to)), unfinished_(all),
      next_capacity_(first_capacity) {}

connection::~connection() {
    charge(0);
    if (block_) block_->release();
    for (block* one : spare_) one->release();
}

bool connection::fail(std::string what) { return why_ = std::move(what), false; }

// The one that was used last, which is in the caches of the processor, if nobody holds it any more.
block* connection::take_block(std::size_t capacity) {
    for (auto at = spare_.end(); at != spare_.begin();) {
        block* const one = *--at;
        if (one->capacity() < capacity || !one->is_only_ours()) continue;
        spare_.erase(at);
        return one;
    }
    return block::make(capacity);
}

// Small frames cost nothing: every connection has that much.
void connection::charge(std::size_t bytes) noexcept {
    const std::size_t now = bytes > usual_capacity ? bytes : 0;
    unfinished_.bytes += now;
    unfinished_.bytes -= std::exchange(charged_, now);
}

// Room behind what is read. The length that a frame claims is believed only as far as its bytes have come: the memory doubles with
// them.
bool connection::make_room() {
    const std::size_t have = end_ - begin_;
    if (block_ && have == 0 && block_->is_only_ours()) begin_ = end_ = 0;
    std::size_t wanted = least_room;
    if (have >= length_size) {
        const std::size_t whole = length_size + std::size_t{get_length(block_->bytes() + begin_)};
        if (whole > have) wanted = std::min(whole - have, std::max(have, least_room));
    }
    if (block_ && block_->capacity() - end_ >= std::min(wanted, block_->capacity() / 2)) return true;
    const std::size_t capacity = std::max(next_capacity_, have + wanted);
    charge(capacity);
    if (charged_ != 0 && unfinished_.bytes > unfinished_frames::most)
        return fail(sdk::join("the unfinished frames of all publishers have more than ", unfinished_frames::most, " bytes"));
    block* next = take_block(capacity);
    if (have) std::memcpy(next->bytes(), block_->bytes() + begin_, have);
    if (block_) {
        if (block_->capacity() == usual_capacity && spare_.size() < 8)
            spare_.push_back(block_);
        else
            block_->release();
    }
    block_ = next;
    begin_ = 0;
    end_ = have;
    return true;
}

bool connection::read(channel& to, bool must_confirm) {
    if (!make_room()) return false;
    const std::size_t room = block_->capacity() - end_;
    const ssize_t got = ::recv(socket_.get(), block_->bytes() + end_, room, MSG_DONTWAIT);
    if (got < 0) {
        if (errno == EAGAIN || errno == EINTR) return true;
        return fail(sdk::join("the connection broke: ", error_text(errno)));
    }
    if (got == 0) {
        if (begin_ == end_) return false;
        return fail(sdk::join("it ended within a frame, ", end_ - begin_, " bytes of which are dropped"));
    }
    if (static_cast<std::size_t>(got) == room && next_capacity_ < usual_capacity) next_capacity_ *= 2;
    end_ += static_cast<std::size_t>(got);
    return take_frames(to, must_confirm);
}

bool connection::take_frames(channel& to, bool must_confirm) {
    while (end_ - begin_ >= length_size) {
        const std::uint32_t size = get_length(block_->bytes() + begin_);
        if (size > longest_frame) return fail(sdk::join("it announced a frame of ", size, " bytes; the limit is ", longest_frame));
        if (end_ - begin_ - length_size < size) break;
        const std::uint8_t* body = block_->bytes() + begin_ + length_size;
        begin_ += length_size + std::size_t{size};
        if (!take_frame(to, body, size, must_confirm)) return false;
    }
    return true;
}

bool connection::take_frame(channel& to, const std::uint8_t* body, std::uint32_t size, bool must_confirm) {
    const std::string_view all(reinterpret_cast<const char*>(body), size);
    if (frames_ == 0 && !confirms_ && all == hello) {
        confirms_ = true;
        std::uint8_t length[length_size];
        put_length(length, static_cast<std::uint32_t>(hello.size()));
        output_.append(reinterpret_cast<const char*>(length), length_size).append(hello);
        return flush();
    }
    if (must_confirm && !confirms_)
        return fail("it does not ask for confirmations, and this consumer has `ack: true`: set it at the publisher too");
    ++frames_;
    parcel* const one = size ? reader_.read(*block_, body, size) : nullptr;
    if (!one) {
        if (size && !reader_.error().empty()) return fail(sdk::join("frame ", frames_, " of it is bad: ", reader_.error()));
        if (confirms_) confirmations_->add(number_, frames_);
        return true;
    }
    if (confirms_) {
        const auto told = std::make_shared<frame_settlement>(confirmations_, number_, frames_, one->count());
        if (open_frames_.size() >= look_at_) {
            std::erase_if(open_frames_, [](const auto& old) { return old.expired(); });
            look_at_ = std::max<std::size_t>(64, 2 * open_frames_.size());
        }
        open_frames_.push_back(told);
        one->told = told;
    }
    to.deliver(one);
    return true;
}

bool connection::confirm(const std::vector<std::uint64_t>& frames) {
    put_frame(output_, frames.size(), [&] {
        for (const std::uint64_t frame : frames) put_number<8>(output_, '\xcf', frame);
    });
    return flush();
}

bool connection::confirm_parts() {
    struct part {
        std::uint64_t frame;
        std::uint32_t first, count;
    };
    std::vector<part> parts;
    for (const auto& weak : open_frames_) {
        const auto one = weak.lock();
        if (!one || !one->is_partly_settled()) continue;
        for (std::uint32_t i = 0; i < one->count(); ++i) {
            if (!one->is_settled(i)) continue;
            if (i > 0 && one->is_settled(i - 1))
                ++parts.back().count;
            else
                parts.push_back({one->frame(), i, 1});
        }
    }
    if (parts.empty()) return true;
    put_frame(output_, parts.size(), [&] {
        for (const part& one : parts) {
            output_ += '\x93';
            put_number<8>(output_, '\xcf', one.frame);
            put_number<4>(output_, '\xce', one.first);
            put_number<4>(output_, '\xce', one.count);
        }
    });
    return flush();
}

bool connection::flush() {
    while (has_output()) {
        const ssize_t sent = ::send(socket_.get(), output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) {
            if (output_.size() - sent_ > most_output) return fail("it does not read its confirmations");
            return true;
        }
        if (sent < 0) return fail(sdk::join("the connection broke: ", error_text(errno)));
        sent_ += static_cast<std::size_t>(sent);
    }
    output_.clear();
    sent_ = 0;
    return true;
}

void connection::withdraw(channel& from) {
    for (const auto& weak : open_frames_)
        if (const auto one = weak.lock()) from.withdraw(*one, one->count());
    open_frames_.clear();
}

}  // namespace mqb::memory
