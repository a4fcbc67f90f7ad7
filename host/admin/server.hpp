// server: the socket in the state directory over which commands ask the host that runs on it.
#pragma once

#include "core/result.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mqb::host::admin {

// What the host answers. Called on the thread of the server's context; must not wait for anything.
class requests {
public:
    virtual ~requests() = default;
    using answer = std::function<void(std::string)>;
    // Calls `give` once with one line, in here or later on the same thread. The result: what to do when the client goes before that;
    // may be empty.
    virtual std::function<void()> handle(std::string_view request, answer give) = 0;
};

struct server_limits {
    std::size_t clients = 64;  // one more is sent away
    std::size_t request_bytes = 256 << 10;
    std::chrono::milliseconds patience = std::chrono::seconds{10};  // for a request to come, and for an answer to be taken
};

// One request on each connection: a line of text, answered by a line. Only the host's own user (and root) is listened to. Everything
// runs on the context's thread and nothing waits for a client. Used on that thread only.
class server {
public:
    // Replaces a socket that a killed host left: the caller holds the lock of the directory. The socket has mode 0600.
    [[nodiscard]] static core::result<std::unique_ptr<server>> open(boost::asio::io_context& on, const std::filesystem::path& socket_file,
                                                                    requests& to, server_limits limits = {});
    // Removes the socket. Clients whose answer is not given yet are left without.
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

private:
    class session;
    server(boost::asio::io_context& on, std::filesystem::path socket_file, requests& to, server_limits limits);
    void accept();

    std::filesystem::path file_;
    requests& requests_;
    const server_limits limits_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    std::shared_ptr<std::size_t> clients_ = std::make_shared<std::size_t>(0);
};

}  // namespace mqb::host::admin
