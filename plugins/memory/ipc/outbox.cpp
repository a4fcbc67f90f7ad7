#include "outbox.hpp"

#include "pack_reader.hpp"

#include <sys/socket.h>
#include <algorithm>
#include <cerrno>

namespace mqb::memory {

namespace {

constexpr std::size_t most_pieces = 16;  // of one write
constexpr std::size_t most_spare = 16;

}  // namespace

void complete(std::vector<send_answer>& answers) {
    for (send_answer& one : answers) one.call.complete(one.status, one.text);
}

outgoing& outbox::add(framed_send& frames, bool confirms) {
    auto one = spare_.empty() ? std::make_unique<outgoing>() : std::move(spare_.back());
    if (!spare_.empty()) spare_.pop_back();
    std::swap(one->frames, frames);
    one->begin(frames_ + 1, confirms);
    all_.push_back(std::move(one));
    frames_ += all_.back()->frames.parts.size();
    return *all_.back();
}

void outbox::drop_last() {
    put_aside(std::move(all_.back()));
    all_.pop_back();
}

void outbox::put_aside(std::unique_ptr<outgoing> one) {
    one->frames.clear();  // keeps its memory as far as that is worth it
    if (spare_.size() < most_spare) spare_.push_back(std::move(one));
}

ssize_t outbox::write(int socket) {
    ssize_t total = 0;
    for (;;) {
        iovec pieces[most_pieces];
        msghdr message{};
        message.msg_iov = pieces;
        std::size_t wanted = 0;
        const auto first = std::partition_point(all_.begin(), all_.end(), [](const auto& one) { return one->is_whole(); });
        for (auto one = first; one != all_.end() && message.msg_iovlen < most_pieces; ++one) {
            pieces[message.msg_iovlen++] = {(*one)->frames.bytes.data() + (*one)->written, (*one)->unwritten()};
            wanted += (*one)->unwritten();
        }
        if (wanted == 0) return total;
        const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN ? total : -1;
        total += sent;
        auto left = static_cast<std::size_t>(sent);
        for (auto one = first; left != 0; ++one) {
            const std::size_t its = std::min(left, (*one)->unwritten());
            (*one)->written += its;
            left -= its;
        }
    }
}

void outbox::confirm(const std::uint8_t* body, std::size_t size) {
    pack_reader from(body, size);
    std::uint32_t count = 0;
    if (!from.array(count)) return;
    while (count-- > 0) {
        std::uint64_t frame = 0, first = 0, many = 0;
        std::uint32_t numbers = 0;
        if (from.number(frame)) {
            if (outgoing* one = find(frame)) one->confirm(frame);
        } else if (from.array(numbers) && numbers == 3 && from.number(frame) && from.number(first) && from.number(many)) {
            if (outgoing* one = find(frame)) one->confirm_part(frame, first, many);
        } else {
            return;
        }
    }
}

// The send that the frame is a part of, if it still waits.
outgoing* outbox::find(std::uint64_t frame) {
    const auto found = std::partition_point(all_.begin(), all_.end(), [&](const auto& one) { return one->behind_frames() <= frame; });
    return found == all_.end() || frame < (*found)->first_frame() ? nullptr : found->get();
}

void outbox::answer(outgoing& one, sdk::status status, std::string_view text, std::vector<send_answer>& answers) {
    one.tell(*one.call);
    answers.push_back({std::move(one.call), status, std::string(text)});
}

// Wherever they stand: readers settle in any order.
void outbox::finish(std::vector<send_answer>& answers) {
    for (auto& one : all_)
        if (one->call && one->is_over()) {
            answer(*one, sdk::status::done, {}, answers);
            put_aside(std::move(one));
        }
    std::erase(all_, nullptr);
}

void outbox::finish_all(sdk::status status, std::string_view text, std::vector<send_answer>& answers) {
    std::erase_if(all_, [&](const auto& one) {
        if (!one->call) return false;
        answer(*one, status, text, answers);
        return true;
    });
}

bool outbox::cancel(std::uint64_t operation, std::vector<send_answer>& answers) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one->call && one->call.id() == operation; });
    if (found == all_.end()) return false;
    answer(**found, sdk::status::cancelled, {}, answers);
    const bool is_half = !(*found)->is_whole() && (*found)->written > 0;
    if ((*found)->written > 0) {  // of a whole one the confirmation may still come, and finds nobody
        all_.erase(found);
        return is_half;
    }
    // Those behind it come back as well, so that the order is the same when all are sent again.
    frames_ = (*found)->first_frame() - 1;
    for (auto behind = found + 1; behind != all_.end(); ++behind) answer(**behind, sdk::status::done, {}, answers);
    all_.erase(found, all_.end());
    return false;
}

}  // namespace mqb::memory
