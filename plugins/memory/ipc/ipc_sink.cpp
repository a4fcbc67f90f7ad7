#include "ipc_sink.hpp"

#include "frame.hpp"
#include "pack_reader.hpp"
#include "socket_place.hpp"

#include <mqb/sdk/thread.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>

namespace mqb::memory {

namespace {

constexpr std::uint64_t stall_ns = 5'000'000'000;
constexpr std::size_t longest_confirmation = 16 << 20;

}  // namespace

ipc_sink::~ipc_sink() {
    const std::uint64_t one = 1;
    if (thread_.joinable() && ::write(stop_.get(), &one, sizeof one) == sizeof one) thread_.join();
}

void ipc_sink::connect() {
    path_ = socket_path(config_.where(), false);
    descriptor made = connect_to(path_);
    if (config_.ack) {
        std::string first(length_size, '\0');
        put_length(reinterpret_cast<std::uint8_t*>(first.data()), static_cast<std::uint32_t>(hello.size()));
        first += hello;
        // A new socket has room for it.
        if (::send(made.get(), first.data(), first.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(first.size()))
            throw sdk::retry_later(path_, ": ", error_text(errno));
    }
    if (!thread_.joinable()) start_thread();
    std::lock_guard lock(mutex_);
    socket_ = std::move(made);
    frames_ = 0;
    input_.clear();
    has_greeted_back_ = false;
    watched_ = EPOLLIN | EPOLLRDHUP;
    epoll_event event{};
    event.events = watched_;
    event.data.fd = socket_.get();
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_.get(), &event) != 0) throw sdk::retry_later("epoll: ", error_text(errno));
    is_broken_ = false;
}

void ipc_sink::start_thread() {
    epoll_ = descriptor(::epoll_create1(EPOLL_CLOEXEC));
    stop_ = descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = stop_.get();
    if (!epoll_ || !stop_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stop_.get(), &event) != 0)
        throw sdk::retry_later("epoll: ", error_text(errno));
    thread_ = sdk::start_thread([this] { run(); });
}

sdk::status ipc_sink::send(sdk::send_call& call) {
    if (call.flushes()) return sdk::status::done;  // what waits has its own answer, and nothing is held back
    std::vector<answer> answers;
    bool still_works = true;
    std::string why;
    {
        std::lock_guard lock(mutex_);
        if (is_broken_) return call.fail(sdk::status::disconnected, why_);
        write_frames(call, scratch_);
        if (scratch_.parts.empty()) return sdk::status::done;  // all were refused
        auto one = spare_.empty() ? std::make_unique<waiting>() : std::move(spare_.back());
        if (!spare_.empty()) spare_.pop_back();
        std::swap(one->frames, scratch_);
        one->written = one->confirmed = 0;
        one->parts_confirmed.clear();
        one->first_frame = frames_ + 1;
        one->is_confirmed.assign(config_.ack ? one->frames.parts.size() : 0, false);
        frames_ += one->frames.parts.size();
        const bool others_come_first = !waiting_.empty() && !waiting_.back()->is_whole();
        still_works = others_come_first || write(*one);
        if (still_works && !one->is_over(config_.ack)) {
            one->call = call.later();
            waiting_.push_back(std::move(one));
            look_after_stall();
            watch();
            return sdk::status::pending;
        }
        if (!still_works) {
            why = why_gone(errno);
            fail(why, answers);
        }
        tell(*one, call);
        spare_.push_back(std::move(one));
    }
    complete(answers);  // of the sends before
    return still_works ? sdk::status::done : call.fail(sdk::status::disconnected, why);
}

// False: the connection is broken, errno says how.
bool ipc_sink::write(waiting& one) {
    while (!one.is_whole()) {
        const ssize_t sent = ::send(socket_.get(), one.frames.bytes.data() + one.written, one.frames.bytes.size() - one.written,
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN;
        one.written += static_cast<std::size_t>(sent);
        ++progress_;
    }
    return true;
}

void ipc_sink::watch() {
    const bool has_more = !waiting_.empty() && !waiting_.back()->is_whole();
    const std::uint32_t wanted = EPOLLIN | EPOLLRDHUP | (has_more ? std::uint32_t{EPOLLOUT} : 0u);
    if (wanted == watched_) return;
    watched_ = wanted;
    epoll_event event{};
    event.events = wanted;
    event.data.fd = socket_.get();
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
}

void ipc_sink::run() {
    for (;;) {
        epoll_event events[2];
        const int count = ::epoll_wait(epoll_.get(), events, 2, -1);
        if (count < 0 && errno != EINTR) return host_.error("socket ", path_, ": epoll: ", error_text(errno));
        for (int i = 0; i < count; ++i) {
            if (events[i].data.fd == stop_.get()) return;
            std::vector<answer> answers;
            {
                std::lock_guard lock(mutex_);
                if (!is_broken_ && events[i].data.fd == socket_.get()) serve(events[i].events, answers);
            }
            complete(answers);
        }
    }
}

void ipc_sink::serve(std::uint32_t events, std::vector<answer>& answers) {
    if (events & EPOLLIN) read_confirmations(answers);
    if (!is_broken_ && (events & EPOLLOUT)) write_all(answers);
    if (!is_broken_ && (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))) fail(why_gone(0), answers);
    if (!is_broken_) watch();
}

// error: of the socket; 0: it was closed.
std::string ipc_sink::why_gone(int error) const {
    std::string why = path_ + ": the reader " + (error == 0 ? "has closed the connection" : "is gone: " + error_text(error));
    if (config_.ack && !has_greeted_back_)
        why += " without an answer to the request for confirmations: it is none of ours, or it was stopped";
    return why;
}

void ipc_sink::write_all(std::vector<answer>& answers) {
    for (const auto& one : waiting_) {
        if (one->is_whole()) continue;
        if (!write(*one)) return fail(why_gone(errno), answers);
        if (!one->is_whole()) break;
    }
    finish_front(answers);
}

void ipc_sink::read_confirmations(std::vector<answer>& answers) {
    char some[16 << 10];
    for (;;) {
        const ssize_t got = ::recv(socket_.get(), some, sizeof some, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) break;
        if (got < 0) return fail(why_gone(errno), answers);
        if (got == 0) {
            finish_front(answers);
            return fail(why_gone(0), answers);
        }
        if (!config_.ack) return fail(path_ + ": the reader sends, though nobody has asked it to", answers);
        input_.append(some, static_cast<std::size_t>(got));
        ++progress_;
        std::size_t at = 0;
        while (input_.size() - at >= length_size) {
            const auto* from = reinterpret_cast<const std::uint8_t*>(input_.data()) + at;
            const std::uint32_t size = get_length(from);
            if (size > longest_confirmation) return fail(path_ + ": the reader sends what is no confirmation", answers);
            if (input_.size() - at - length_size < size) break;
            take_confirmation(from + length_size, size);
            at += length_size + size;
        }
        input_.erase(0, at);
    }
    finish_front(answers);
}

void ipc_sink::take_confirmation(const std::uint8_t* body, std::size_t size) {
    pack_reader from(body, size);
    std::uint32_t count = 0;
    if (std::string_view(reinterpret_cast<const char*>(body), size) == hello) {
        has_greeted_back_ = true;
        return;
    }
    if (!from.array(count)) return;
    while (count-- > 0) {
        std::uint64_t frame = 0, first = 0, many = 0;
        std::uint32_t numbers = 0;
        if (from.number(frame))
            confirm(frame);
        else if (from.array(numbers) && numbers == 3 && from.number(frame) && from.number(first) && from.number(many))
            confirm_part(frame, first, many);
        else
            return;
    }
}

// The send that the frame is a part of, if it still waits.
ipc_sink::waiting* ipc_sink::find(std::uint64_t frame) {
    const auto found = std::partition_point(waiting_.begin(), waiting_.end(),
                                            [&](const auto& one) { return one->first_frame + one->frames.parts.size() <= frame; });
    return found == waiting_.end() || frame < (*found)->first_frame ? nullptr : found->get();
}

void ipc_sink::confirm(std::uint64_t frame) {
    waiting* const one = find(frame);
    if (!one) return;
    const auto part = static_cast<std::size_t>(frame - one->first_frame);
    if (one->is_confirmed[part]) return;
    one->is_confirmed[part] = true;
    ++one->confirmed;
}

void ipc_sink::confirm_part(std::uint64_t frame, std::uint64_t first, std::uint64_t count) {
    waiting* const one = find(frame);
    if (!one) return;
    const auto part = static_cast<std::size_t>(frame - one->first_frame);
    const std::size_t messages = one->frames.parts[part].behind - one->frames.parts[part].first;
    std::vector<bool>& is_done = one->parts_confirmed[part];
    is_done.resize(messages);
    for (std::uint64_t i = first; i < messages && i - first < count; ++i) is_done[static_cast<std::size_t>(i)] = true;
}

// Those of which all is done, wherever they stand: readers settle in any order.
void ipc_sink::finish_front(std::vector<answer>& answers) {
    for (auto& one : waiting_)
        if (one->is_over(config_.ack))
            finish(*one, sdk::status::done, {}, answers), spare_.size() < 16 ? spare_.push_back(std::move(one)) : one.reset();
    std::erase(waiting_, nullptr);
}

// What is confirmed is done, or what is written where nobody confirms; what is written may have arrived; and of a frame that is cut
// nobody can read anything.
void ipc_sink::tell(const waiting& one, const sdk::send_call& call) const {
    for (std::size_t p = 0; p < one.frames.parts.size(); ++p) {
        const frame_part& part = one.frames.parts[p];
        const bool is_written = one.written >= part.end;
        const bool is_done = is_written && (!config_.ack || one.is_confirmed[p]);
        const auto some = one.parts_confirmed.find(p);
        std::size_t k = 0;  // its place in the frame
        for (std::uint32_t i = part.first; i < part.behind; ++i) {
            if (std::binary_search(one.frames.refused.begin(), one.frames.refused.end(), i)) continue;
            const bool is_this_done = is_done || (some != one.parts_confirmed.end() && some->second[k]);
            call.outcome(i).result = is_this_done ? MQB_DONE : is_written ? MQB_UNCERTAIN : MQB_UNSENT;
            ++k;
        }
    }
    for (const std::uint32_t index : one.frames.refused) call.outcome(index).result = MQB_REFUSED;
}

void ipc_sink::finish(waiting& one, sdk::status status, std::string_view text, std::vector<answer>& answers) {
    tell(one, *one.call);
    answers.push_back({std::move(one.call), status, std::string(text)});
}

void ipc_sink::fail(std::string why, std::vector<answer>& answers) {
    is_broken_ = true;
    why_ = std::move(why);
    for (const auto& one : waiting_) finish(*one, sdk::status::disconnected, why_, answers);
    waiting_.clear();
    socket_.close();
    ++progress_;
}

void ipc_sink::cancel(std::uint64_t operation) {
    std::vector<answer> answers;
    {
        std::lock_guard lock(mutex_);
        const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) { return one->call.id() == operation; });
        if (found == waiting_.end()) return;
        const auto first = found - waiting_.begin();
        finish(**found, sdk::status::cancelled, {}, answers);
        if ((*found)->is_whole()) {  // its confirmation may still come, and finds nobody
            waiting_.erase(found);
        } else if ((*found)->written > 0) {  // half a frame cannot stand: the connection goes with it
            waiting_.erase(found);
            fail(path_ + ": a send was cancelled in the middle of its frame", answers);
        } else {
            // Those behind it come back as well, so that the order is the same when all are sent again.
            frames_ = (*found)->first_frame - 1;
            for (auto behind = found + 1; behind != waiting_.end(); ++behind) finish(**behind, sdk::status::done, {}, answers);
            waiting_.resize(static_cast<std::size_t>(first));
            watch();
        }
    }
    complete(answers);
}

void ipc_sink::complete(std::vector<answer>& answers) {
    for (answer& one : answers) one.call.complete(one.status, one.text);
}

// While something waits a timer looks every five seconds whether anything has moved.
void ipc_sink::look_after_stall() {
    if (has_timer_) return;
    stall_seen_ = progress_;
    const auto rang = [](void* self, bool on_time) { static_cast<ipc_sink*>(self)->stalled(on_time); };
    has_timer_ = timer_.start(host_, host_.now() + stall_ns, rang, this);
}

void ipc_sink::stalled(bool on_time) {
    std::lock_guard lock(mutex_);
    has_timer_ = false;
    if (!on_time || waiting_.empty()) {
        has_warned_ = false;
        return;
    }
    if (progress_ != stall_seen_) {
        has_warned_ = false;
    } else if (!has_warned_) {
        has_warned_ = true;
        if (config_.ack && !has_greeted_back_)
            host_.warning("socket ", path_,
                          ": 5 s without an answer to the request for confirmations: the reader is busy, or none of ours; still waiting");
        else if (config_.ack && waiting_.back()->is_whole())
            host_.warning("socket ", path_, ": 5 s without a confirmation: the reader has not settled what it has; still waiting");
        else
            host_.warning("socket ", path_, ": a send has been blocked for 5 s: the reader does not read; still waiting");
    }
    look_after_stall();
}

}  // namespace mqb::memory
