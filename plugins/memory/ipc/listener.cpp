#include "listener.hpp"

#include <mqb/sdk/status.hpp>
#include <mqb/sdk/thread.hpp>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <cerrno>

namespace mqb::memory {

namespace {

constexpr int most_events = 16;  // sockets of one turn; the kernel gives the others first the next time
constexpr std::size_t most_connections = 1024;
constexpr std::uint64_t pause_ns = 100'000'000;  // before an accept is tried again for which there was no descriptor

constexpr timespec moment{0, 100'000};

descriptor checked(int fd, const char* what) {
    if (fd < 0) throw sdk::retry_later(what, ": ", error_text(errno));
    return descriptor(fd);
}

void control(int epoll, int what, int fd, std::uint32_t events, std::uint64_t number) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    if (::epoll_ctl(epoll, what, fd, &event) != 0 && what != EPOLL_CTL_DEL) throw sdk::retry_later("epoll: ", error_text(errno));
}

}  // namespace

listener::listener(const sdk::host_ref& host, const std::string& path, std::shared_ptr<channel> to, bool must_confirm)
    : host_(host), path_(path), to_(std::move(to)), must_confirm_(must_confirm), socket_(path),
      inner_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll")), outer_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll")),
      stop_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    control(inner_.get(), EPOLL_CTL_ADD, socket_.fd(), EPOLLIN, 0);
    control(outer_.get(), EPOLL_CTL_ADD, inner_.get(), EPOLLONESHOT, 1);
    control(outer_.get(), EPOLL_CTL_ADD, stop_.get(), EPOLLIN, 0);
    thread_ = sdk::start_thread([this] { run(); });
}

listener::~listener() {
    const std::uint64_t one = 1;
    if (::write(stop_.get(), &one, sizeof one) == sizeof one) thread_.join();
    confirm_all();
    for (const auto& [number, publisher] : connections_) publisher->confirm_parts();
    while (!connections_.empty()) close(*connections_.begin()->second);
}

void listener::run() {
    for (;;) {
        epoll_event events[2];
        const int count = ::epoll_wait(outer_.get(), events, 2, accepts_again_at_ ? static_cast<int>(pause_ns / 1'000'000) : -1);
        if (count < 0 && errno != EINTR) return host_.error("socket ", path_, ": epoll: ", error_text(errno));
        for (int i = 0; i < count; ++i)
            if (events[i].data.u64 == 0) return;
        try {
            pump();
        } catch (const std::exception& thrown) { host_.error("socket ", path_, ": ", thrown.what()); }
        if (waits_for_anything()) arm();
    }
}

bool listener::waits_for_anything() {
    if (to_->has_waiting_reader()) return true;
    std::lock_guard lock(mutex_);
    for (const auto& [number, one] : connections_)
        if (one->has_output()) return true;
    return false;
}

void listener::arm() { control(outer_.get(), EPOLL_CTL_MOD, inner_.get(), EPOLLIN | EPOLLONESHOT, 1); }

bool listener::wait() {
    pollfd inner{inner_.get(), POLLIN, 0};
    return ::ppoll(&inner, 1, &moment, nullptr) > 0;
}

void listener::pump() {
    read_all();
    to_->serve_waiting();
}

void listener::read_all() {
    std::lock_guard lock(mutex_);
    if (accepts_again_at_ && host_.now() >= accepts_again_at_) {
        accepts_again_at_ = 0;
        control(inner_.get(), EPOLL_CTL_ADD, socket_.fd(), EPOLLIN, 0);
    }
    epoll_event events[most_events];
    const int count = ::epoll_wait(inner_.get(), events, most_events, 0);
    for (int i = 0; i < count; ++i) {
        if (events[i].data.u64 == 0) {
            accept_all();
        } else if (const auto found = connections_.find(events[i].data.u64); found != connections_.end()) {
            serve(*found->second, events[i].events);
        }
    }
    if (must_confirm_ || count > 0) confirm_all();  // frames without messages are settled at once
}

void listener::accept_all() {
    for (;;) {
        descriptor socket(::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (socket) {
            accept_one(std::move(socket));
        } else if (errno == EAGAIN) {
            return;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            host_.warning("socket ", path_, ": a publisher has to wait: ", error_text(errno));
            control(inner_.get(), EPOLL_CTL_DEL, socket_.fd(), 0, 0);
            accepts_again_at_ = host_.now() + pause_ns;
            return;
        }
    }
}

void listener::accept_one(descriptor socket) {
    const peer other = peer_of(socket.get());
    if (other.user != ::geteuid())
        return host_.warning("socket ", path_, ": process ", other.pid, " of user ", other.user, " is sent away: only user ", ::geteuid(),
                             " may write here");
    if (connections_.size() >= most_connections)
        return host_.warning("socket ", path_, ": process ", other.pid, " is sent away: ", most_connections,
                             " publishers are connected already");
    const std::uint64_t number = ++last_number_;
    auto made = std::make_unique<connection>(std::move(socket), number, confirmations_, unfinished_);
    control(inner_.get(), EPOLL_CTL_ADD, made->fd(), EPOLLIN, number);
    connection& one = *connections_.emplace(number, std::move(made)).first->second;
    to_->attach_sender();
    host_.debug("socket ", path_, ": process ", other.pid, " is connected");
    serve(one, EPOLLIN);
}

void listener::serve(connection& one, std::uint32_t events) {
    bool goes_on = true;
    if (events & EPOLLOUT) goes_on = one.flush();
    if (goes_on && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) && !to_->is_full()) goes_on = one.read(*to_, must_confirm_);
    if (one.left_out() && !has_left_out_) {
        has_left_out_ = true;
        host_.warn(
            sdk::join("socket ", path_, ": metadata with an empty key, one longer than 65535 bytes or one that is not UTF-8 are left out"));
    }
    if (!goes_on) return close(one);
    watch(one);
}

// Room for output matters only while there is some.
void listener::watch(connection& one) {
    if (one.has_output() == one.is_watched_for_output) return;
    one.is_watched_for_output = one.has_output();
    control(inner_.get(), EPOLL_CTL_MOD, one.fd(), one.has_output() ? EPOLLIN | EPOLLOUT : EPOLLIN, one.number());
}

void listener::close(connection& one) {
    if (!one.why().empty()) host_.warning("socket ", path_, ": process ", one.other().pid, ": ", one.why(), ": the connection is closed");
    // What nobody has read comes again: its publisher waits for a confirmation that will not come.
    one.withdraw(*to_);
    to_->detach_sender();
    connections_.erase(one.number());
}

void listener::confirm() {
    std::lock_guard lock(mutex_);
    confirm_all();
}

void listener::confirm_all() {
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> frames;
    for (const confirmations::one& one : confirmations_->take()) frames[one.connection].push_back(one.frame);
    for (const auto& [number, all] : frames) {
        const auto found = connections_.find(number);
        if (found == connections_.end()) continue;
        connection& one = *found->second;
        if (!one.confirm(all)) {
            close(one);
            continue;
        }
        watch(one);
        if (one.has_output()) arm();
    }
}

}  // namespace mqb::memory
