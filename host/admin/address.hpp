// address: where the socket of a state directory is, however long its path.
#pragma once

#include "core/result.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <filesystem>

namespace mqb::host::admin {

// A socket address has room for about a hundred bytes. A longer path is reached through its folder, which stays open as long as this lives.
class address {
public:
    [[nodiscard]] static core::result<address> of(const std::filesystem::path& socket_file);
    address(address&& other) noexcept;
    address& operator=(address&&) = delete;
    ~address();
    [[nodiscard]] const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&name_); }
    [[nodiscard]] static socklen_t size() noexcept { return sizeof(sockaddr_un); }

private:
    address() = default;
    sockaddr_un name_{};
    int folder_ = -1;
};

}  // namespace mqb::host::admin
