#include "host/admin/client.hpp"

#include "host/admin/address.hpp"
#include "host/state/file_fault.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace mqb::host::admin {

namespace {

using core::failure;
using core::status;

constexpr std::size_t most_answer_bytes = 64 << 20;

class connected_socket {
public:
    connected_socket() : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    connected_socket(const connected_socket&) = delete;
    connected_socket& operator=(const connected_socket&) = delete;
    ~connected_socket() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

class deadline {
public:
    explicit deadline(std::optional<std::chrono::milliseconds> patience) {
        if (patience) at_ = std::chrono::steady_clock::now() + *patience;
    }
    // For a call that waits by itself, on a socket that has no event for it.
    void limit_sending(int fd) const noexcept {
        if (!at_) return;
        const auto rest = std::chrono::ceil<std::chrono::microseconds>(*at_ - std::chrono::steady_clock::now()).count();
        const long long left = std::max<long long>(rest, 1000);  // zero would be no limit
        const timeval limit{left / 1'000'000, left % 1'000'000};
        ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    // True: the socket is ready. Throws nothing; false: the time is over.
    [[nodiscard]] bool wait(int fd, short what) const {
        while (true) {
            int left = -1;
            if (at_) {
                const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*at_ - std::chrono::steady_clock::now()).count();
                left = static_cast<int>(std::clamp<long long>(rest, 0, 1 << 30));
            }
            pollfd one{fd, what, 0};
            const int ready = ::poll(&one, 1, left);
            if (ready > 0) return true;
            if (ready == 0 || errno != EINTR) return false;
        }
    }

private:
    std::optional<std::chrono::steady_clock::time_point> at_;
};

// Who listens at the other end; 0: not to be seen from here.
int process_behind(int socket) noexcept {
    ucred who{};
    socklen_t size = sizeof who;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : 0;
}

failure silence(int socket) {
    const int process = process_behind(socket);
    const std::string who = process > 0 ? "process " + std::to_string(process) : std::string{"the host"};
    return {status::retry, who + " does not answer: it is stopped, or too busy"};
}

}  // namespace

core::result<std::optional<std::string>> ask(const std::filesystem::path& socket_file, std::string_view request,
                                             std::optional<std::chrono::milliseconds> patience) {
    const auto where = address::of(socket_file);
    if (!where) return where.error();
    const connected_socket socket;
    const deadline until{patience};
    until.limit_sending(socket.get());
    if (socket.get() < 0 || ::connect(socket.get(), where->get(), where->size()) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) return std::optional<std::string>{};
        if (errno == EAGAIN) return silence(socket.get());
        return state::file_fault(socket_file, "cannot be asked");
    }
    std::string line{request};
    line += '\n';
    for (std::string_view left{line}; !left.empty();) {
        if (!until.wait(socket.get(), POLLOUT)) return silence(socket.get());
        const ssize_t sent = ::send(socket.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            left.remove_prefix(static_cast<std::size_t>(sent));
        else if (errno == EPIPE || errno == ECONNRESET)
            break;  // its answer may be there all the same
        else if (errno != EINTR && errno != EAGAIN)
            return state::file_fault(socket_file, "cannot be asked");
    }
    std::string out;
    std::array<char, 16384> part;
    while (out.size() <= most_answer_bytes) {
        if (!until.wait(socket.get(), POLLIN)) return silence(socket.get());
        const ssize_t size = ::recv(socket.get(), part.data(), part.size(), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return failure{status::retry, "the host sent no answer: it has ended, or it has too many clients"};
        out.append(part.data(), static_cast<std::size_t>(size));
        if (out.back() == '\n') return out.pop_back(), std::optional{std::move(out)};
    }
    return failure{status::retry, "the answer of the host is too long"};
}

}  // namespace mqb::host::admin
