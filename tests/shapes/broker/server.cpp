#include "server.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <cerrno>
#include <system_error>
#include <utility>

namespace mqb::shapes::broker {

namespace {

[[noreturn]] void system_failure(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

server::server(const std::string& path) : path_(path) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (path.size() >= sizeof where.sun_path) throw std::runtime_error("the path of the socket is too long: " + path);
    path.copy(where.sun_path, path.size());
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening_ < 0 || bind(listening_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 || listen(listening_, 64) != 0)
        system_failure(path.c_str());
}

server::~server() {
    sessions_.clear();
    close(listening_);
    unlink(path_.c_str());
}

queue& server::queue_named(const std::string& name) {
    std::unique_ptr<queue>& one = queues_[name];
    if (!one) {
        one = std::make_unique<queue>(name, timers_);
        one->on_ready = [this] { something_ready_ = true; };
    }
    return *one;
}

void server::later(std::chrono::nanoseconds delay, const session& s, std::function<void(session&)> what) {
    timers_.after(delay, [this, number = s.as_holder.number, what = std::move(what)] {
        const auto found = sessions_.find(number);
        if (found != sessions_.end() && !found->second->leaves && !found->second->breaks) what(*found->second);
    });
}

void server::run_until(int until) {
    std::vector<pollfd> polled;
    for (;;) {
        polled.assign({{until, POLLIN, 0}, {listening_, POLLIN, 0}});
        for (const auto& [number, s] : sessions_)
            polled.push_back({s->fd, static_cast<short>(s->to_write.empty() ? POLLIN : POLLIN | POLLOUT), 0});
        if (poll(polled.data(), polled.size(), timers_.wait_ms()) < 0 && errno != EINTR) system_failure("poll");
        if (polled[0].revents) return;
        std::size_t at = 2;
        for (const auto& [number, s] : sessions_) {
            if (polled[at].revents & (POLLIN | POLLHUP | POLLERR)) read_from(*s);
            ++at;
        }
        if (polled[1].revents) accept_one();
        timers_.run_due();
        serve_those_who_wait();
        for (auto it = sessions_.begin(); it != sessions_.end();) {
            session& s = *it->second;
            if (!s.breaks) write_to(s);
            it = s.breaks || (s.leaves && s.to_write.empty()) ? sessions_.erase(it) : std::next(it);
        }
        serve_those_who_wait();  // what was left behind by those who went
    }
}

void server::accept_one() {
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    const std::uint32_t number = next_session_++;
    sessions_.emplace(number, std::make_unique<session>(fd, number));
}

void server::read_from(session& s) {
    char bytes[1 << 16];
    const ssize_t n = recv(s.fd, bytes, sizeof bytes, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) s.breaks = true;
    if (n <= 0) return;
    try {
        s.incoming.add(bytes, static_cast<std::size_t>(n));
        while (const auto frame = s.incoming.next()) {
            if (s.breaks || s.leaves) return;
            handle(s, *frame);
        }
    } catch (const std::runtime_error&) { s.breaks = true; }
}

void server::write_to(session& s) {
    while (!s.to_write.empty()) {
        const ssize_t n = ::send(s.fd, s.to_write.data(), s.to_write.size(), MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) return void(s.breaks = true);
        s.to_write.erase(0, static_cast<std::size_t>(n));
    }
}

void server::serve_those_who_wait() {
    while (std::exchange(something_ready_, false)) {
        for (const auto& [number, s] : sessions_) {
            if (s->breaks || s->leaves) continue;
            if (s->parked && !s->parked->is_mute && give(*s, *s->parked)) s->parked.reset();
            if (std::exchange(s->is_hungry, false)) {
                wire::writer out(wire::verb::something_new, 0);
                s->answer(out);
            }
        }
    }
}

}  // namespace mqb::shapes::broker
