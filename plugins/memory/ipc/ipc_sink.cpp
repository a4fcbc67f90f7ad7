#include "ipc_sink.hpp"

#include "frame.hpp"
#include "socket_place.hpp"

#include <mqb/sdk/thread.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
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
    box_.restart();
    input_.clear();
    has_greeted_back_ = false;
    watched_ = EPOLLIN | EPOLLRDHUP;
    epoll_event event{};
    event.events = watched_;
    event.data.fd = socket_.get();
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_.get(), &event) != 0) throw sdk::retry_later("epoll: ", error_text(errno));
    is_broken_ = is_blocked_ = false;
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
    answers others;
    sdk::status answer = sdk::status::done;
    std::string why;
    {
        std::lock_guard lock(mutex_);
        if (is_broken_) return call.fail(sdk::status::disconnected, why_);
        write_frames(call, scratch_);
        if (scratch_.parts.empty()) return sdk::status::done;  // all were refused
        outgoing& one = box_.add(scratch_, config_.ack);
        if (!is_blocked_ && !write(others)) fail(why_gone(errno), others);
        if (!is_broken_ && !one.is_over()) {
            one.call = call.later();
            answer = sdk::status::pending;
            look_after_stall();
            watch();
        } else {
            one.tell(call);
            box_.drop_last();
            if (is_broken_) answer = sdk::status::disconnected, why = why_;
        }
    }
    complete(others);  // those before it
    return answer == sdk::status::disconnected ? call.fail(answer, why) : answer;
}

// False: the connection is broken, errno says how.
bool ipc_sink::write(answers& out) {
    const ssize_t written = box_.write(socket_.get());
    if (written < 0) return false;
    if (written > 0) ++progress_;
    is_blocked_ = box_.has_unwritten();
    box_.finish(out);
    return true;
}

void ipc_sink::watch() {
    const std::uint32_t wanted = EPOLLIN | EPOLLRDHUP | (is_blocked_ ? std::uint32_t{EPOLLOUT} : 0u);
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
            answers out;
            {
                std::lock_guard lock(mutex_);
                if (!is_broken_ && events[i].data.fd == socket_.get()) serve(events[i].events, out);
            }
            complete(out);
        }
    }
}

void ipc_sink::serve(std::uint32_t events, answers& out) {
    if (events & EPOLLIN) read_confirmations(out);
    if (!is_broken_ && (events & EPOLLOUT) && !write(out)) fail(why_gone(errno), out);
    if (!is_broken_ && (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))) fail(why_gone(0), out);
    if (!is_broken_) watch();
}

// error: of the socket; 0: it was closed.
std::string ipc_sink::why_gone(int error) const {
    std::string why = path_ + ": the reader " + (error == 0 ? "has closed the connection" : "is gone: " + error_text(error));
    if (config_.ack && !has_greeted_back_)
        why += " without an answer to the request for confirmations: it is none of ours, or it was stopped";
    return why;
}

void ipc_sink::read_confirmations(answers& out) {
    char some[16 << 10];
    for (;;) {
        const ssize_t got = ::recv(socket_.get(), some, sizeof some, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) break;
        if (got < 0) return fail(why_gone(errno), out);
        if (got == 0) {
            box_.finish(out);
            return fail(why_gone(0), out);
        }
        if (!config_.ack) return fail(path_ + ": the reader sends, though nobody has asked it to", out);
        input_.append(some, static_cast<std::size_t>(got));
        ++progress_;
        std::size_t at = 0;
        while (input_.size() - at >= length_size) {
            const auto* from = reinterpret_cast<const std::uint8_t*>(input_.data()) + at;
            const std::uint32_t size = get_length(from);
            if (size > longest_confirmation) return fail(path_ + ": the reader sends what is no confirmation", out);
            if (input_.size() - at - length_size < size) break;
            if (std::string_view(reinterpret_cast<const char*>(from) + length_size, size) == hello)
                has_greeted_back_ = true;
            else
                box_.confirm(from + length_size, size);
            at += length_size + size;
        }
        input_.erase(0, at);
    }
    box_.finish(out);
}

void ipc_sink::fail(std::string why, answers& out) {
    is_broken_ = true;
    is_blocked_ = false;
    why_ = std::move(why);
    box_.finish_all(sdk::status::disconnected, why_, out);
    socket_.close();
    ++progress_;
}

void ipc_sink::cancel(std::uint64_t operation) {
    answers out;
    {
        std::lock_guard lock(mutex_);
        if (box_.cancel(operation, out)) {
            fail(path_ + ": a send was cancelled in the middle of its frame", out);
        } else if (!is_broken_) {
            is_blocked_ = is_blocked_ && box_.has_unwritten();
            watch();
        }
    }
    complete(out);
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
    if (!on_time || box_.is_empty()) {
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
        else if (config_.ack && !box_.has_unwritten())
            host_.warning("socket ", path_, ": 5 s without a confirmation: the reader has not settled what it has; still waiting");
        else
            host_.warning("socket ", path_, ": a send has been blocked for 5 s: the reader does not read; still waiting");
    }
    look_after_stall();
}

}  // namespace mqb::memory
