// socket_place: where a socket is in the file system, who may have it, and how one gets it.
#pragma once

#include "../address.hpp"
#include "descriptor.hpp"

#include <sys/un.h>

namespace mqb::memory {

inline constexpr std::size_t longest_socket_path = sizeof(sockaddr_un::sun_path) - 1;

// The folders in which named sockets are looked for, the best first: /run/mq-bridge, $XDG_RUNTIME_DIR/mq-bridge, /tmp/mq-bridge.
std::vector<std::string> socket_folders();

// The path of a topic: of a name, in the first folder that is ours alone and writable, or could be made. `makes`: makes it, with
// mode 0700, and those above an explicit path. Throws bad_config, naming what is wrong with each folder.
std::string socket_path(const address& of, bool makes, const std::vector<std::string>& folders = socket_folders());

// A path that is ours to listen at, as long as this lives; then the socket is removed. One lock file `PATH.lock` beside it decides
// between processes: who is killed leaves both behind, and the next one takes them over.
// Threads: one at a time.
class listening_socket {
public:
    // Throws retry while somebody else listens there, bad_config for what is no socket or not ours.
    explicit listening_socket(const std::string& path);
    listening_socket(const listening_socket&) = delete;
    ~listening_socket();

    int fd() const noexcept { return socket_.get(); }

private:
    void lock();
    void bind();

    const std::string path_, lock_path_;
    descriptor lock_, socket_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

// A socket that is connected to the listener at the path, which belongs to our user. Throws retry.
descriptor connect_to(const std::string& path);

// Who is at the other end.
struct peer {
    int pid = 0;
    unsigned user = 0;
};
peer peer_of(int fd);

// What errno means.
std::string error_text(int error);

}  // namespace mqb::memory
