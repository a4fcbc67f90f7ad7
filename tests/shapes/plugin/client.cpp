#include "client.hpp"

#include "socket.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace mqb::shapes {

client::client() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

client::~client() {
    close();
    ::close(wake_);
}

void client::connect(const config& with, const std::function<bool()>& stops) {
    close();
    thread_ = std::this_thread::get_id();
    fd_ = connect_to(with.socket_path());
    if (fd_ < 0) throw sdk::retry_later(with.socket_path(), ": ", std::string_view(std::strerror(errno)));
    const std::uint64_t tag = next_tag();
    wire::reader in = call(with.hello(tag), tag, [this, &stops] {
        if (stops()) lose("connect was cancelled");  // there is no call yet that the broker could end
        return false;
    });
    const auto answer = in.word<wire::answer>();
    if (answer == wire::answer::ok) return;
    const std::string why(in.text());
    close();
    throw sdk::retry_later(why);
}

void client::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    is_new_ = false;
    incoming_.clear();
}

void client::lose(const char* why) {
    close();
    throw sdk::disconnected("the connection to the broker is gone: ", why);
}

void client::check_thread() const {
    if (fd_ < 0) throw sdk::disconnected("there is no connection to the broker");
    if (thread_ != std::this_thread::get_id()) throw sdk::rejected("the connection was used on a thread that did not make it");
}

void client::tell(const std::string& frame) {
    check_thread();
    for (std::size_t done = 0; done < frame.size();) {
        const ssize_t n = ::send(fd_, frame.data() + done, frame.size() - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) lose("it cannot be written to");
        done += static_cast<std::size_t>(n);
    }
}

bool client::poll_once(int ms) {
    pollfd polled[] = {{fd_, POLLIN, 0}, {wake_, POLLIN, 0}};
    poll(polled, 2, ms);
    if (!polled[0].revents) return false;
    char bytes[1 << 16];
    const ssize_t n = recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) lose("the other side has closed it");
    if (n > 0) incoming_.add(bytes, static_cast<std::size_t>(n));
    return n > 0;
}

wire::reader client::call(const std::string& frame, std::uint64_t tag, const std::function<bool()>& stops) {
    tell(frame);
    for (bool is_cancelled = false;;) {
        while (const auto one = incoming_.next()) {
            wire::reader in(*one);
            if (in.tag() == tag) return in;
            is_new_ = is_new_ || in.what() == wire::verb::something_new;
        }
        if (!is_cancelled && stops()) {
            is_cancelled = true;
            tell(wire::writer(wire::verb::cancel, tag).frame());
        }
        take_wakes();
        if (!is_cancelled && stops()) continue;  // one that came in between is not forgotten
        poll_once(-1);
    }
}

// A wake that comes while a call waits ends the next wait.
void client::take_wakes() {
    eventfd_t ignored;
    if (eventfd_read(wake_, &ignored) == 0) is_woken_ = true;
}

void client::wait(std::chrono::milliseconds most) {
    check_thread();
    while (const auto one = incoming_.next()) is_new_ = is_new_ || wire::reader(*one).what() == wire::verb::something_new;
    if (!is_new_ && !is_woken_) poll_once(static_cast<int>(most.count()));
    take_wakes();
    is_new_ = is_woken_ = false;
}

void client::wake() noexcept { eventfd_write(wake_, 1); }

}  // namespace mqb::shapes
