#include "link.hpp"

#include "socket.hpp"

#include <mqb/sdk/thread.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>

namespace mqb::shapes {

void link::open(std::string path, std::string hello, std::uint64_t tag, std::unique_ptr<request> waits) {
    close();
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    {
        std::lock_guard lock(mutex_);
        stops_ = false, is_open_ = says_hello_ = true, is_broken_ = false;
        opens_ = tag;
        to_write_ = std::move(hello);
        waiting_[tag] = std::move(waits);
        incoming_.clear();
    }
    thread_ = sdk::start_thread([this, path = std::move(path)] { run(path); });
}

void link::close() {
    {
        std::lock_guard lock(mutex_);
        stops_ = true;
    }
    wake();
    if (thread_.joinable()) thread_.join();
    if (wake_ >= 0) ::close(wake_);
    wake_ = -1;
}

bool link::post(std::string_view frame) {
    {
        std::lock_guard lock(mutex_);
        if (!is_open_) return false;
        to_write_ += frame;
    }
    wake();
    return true;
}

void link::cancel(std::uint64_t tag) {
    {
        std::lock_guard lock(mutex_);
        if (!is_open_ || !waiting_.count(tag)) return;
        if (says_hello_ && tag == opens_)
            stops_ = true;
        else
            to_write_ += wire::writer(wire::verb::cancel, tag).frame();
    }
    wake();
}

void link::wake() {
    if (wake_ >= 0) eventfd_write(wake_, 1);
}

void link::run(const std::string& path) {
    if (const int fd = connect_to(path); fd >= 0) {
        talk(fd);
        ::close(fd);
    }
    lose_all();
}

void link::talk(int fd) {
    while (!is_broken_) {
        bool writes;
        {
            std::lock_guard lock(mutex_);
            if (stops_) return;
            writes = !to_write_.empty();
        }
        pollfd polled[] = {{fd, static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0}, {wake_, POLLIN, 0}};
        poll(polled, 2, -1);
        if (polled[1].revents) {
            eventfd_t ignored;
            eventfd_read(wake_, &ignored);
        }
        if (polled[0].revents & (POLLIN | POLLHUP | POLLERR)) read_some(fd);
        if (!is_broken_) write_some(fd);
    }
}

void link::write_some(int fd) {
    std::lock_guard lock(mutex_);
    while (!to_write_.empty()) {
        const ssize_t n = ::send(fd, to_write_.data(), to_write_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) return void(is_broken_ = true);
        to_write_.erase(0, static_cast<std::size_t>(n));
    }
}

void link::read_some(int fd) {
    char bytes[1 << 16];
    const ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) is_broken_ = true;
    if (n <= 0) return;
    try {
        incoming_.add(bytes, static_cast<std::size_t>(n));
        while (const auto frame = incoming_.next()) hand_on(*frame);
    } catch (const std::runtime_error&) { is_broken_ = true; }
}

void link::hand_on(std::string_view frame) {
    wire::reader in(frame);
    if (in.tag() == 0) return to_.noticed(in);
    std::unique_ptr<request> waits;
    {
        std::lock_guard lock(mutex_);
        says_hello_ = says_hello_ && in.tag() != opens_;
        const auto found = waiting_.find(in.tag());
        if (found == waiting_.end()) return;
        waits = std::move(found->second);
        waiting_.erase(found);
    }
    waits->answered(in);
}

void link::lose_all() {
    std::map<std::uint64_t, std::unique_ptr<request>> lost;
    {
        std::lock_guard lock(mutex_);
        is_open_ = false;
        lost.swap(waiting_);
        to_write_.clear();
    }
    for (const auto& [tag, waits] : lost) waits->lost();
}

}  // namespace mqb::shapes
