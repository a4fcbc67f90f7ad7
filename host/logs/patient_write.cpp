#include "host/logs/patient_write.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace mqb::host {

bool write_within(int descriptor, std::string_view text, std::chrono::milliseconds limit) {
    using clock = std::chrono::steady_clock;
    const clock::time_point end = clock::now() + limit;
    while (!text.empty()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now());
        pollfd room{descriptor, POLLOUT, 0};
        const int ready = ::poll(&room, 1, static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        // Where a pipe says that there is room, so much fits at once.
        const ssize_t n = ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace mqb::host
