// address: what a topic names: a channel of this process, or a socket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mqb::memory {

struct address {
    enum class kind { channel, named_socket, socket_path };

    kind what = kind::channel;
    std::string name;  // of the channel or the socket, or the path

    bool is_socket() const noexcept { return what != kind::channel; }

    // Throws bad_config, with the reason.
    static address of(std::string_view topic);
};

}  // namespace mqb::memory
