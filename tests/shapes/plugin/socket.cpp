#include "socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cerrno>

namespace mqb::shapes {

int connect_to(const std::string& path) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (path.size() >= sizeof where.sun_path) return errno = ENAMETOOLONG, -1;
    path.copy(where.sun_path, path.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0) return fd;
    const int why = errno;
    close(fd);
    return errno = why, -1;
}

}  // namespace mqb::shapes
