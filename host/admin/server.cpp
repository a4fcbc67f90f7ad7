#include "host/admin/server.hpp"

#include "host/admin/address.hpp"
#include "host/state/file_fault.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <utility>

namespace mqb::host::admin {

namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr auto pause_after_failure = std::chrono::milliseconds{100};

bool is_friend(int socket) {
    ucred who{};
    socklen_t size = sizeof who;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && (who.uid == ::geteuid() || who.uid == 0);
}

}  // namespace

// Lives as long as something of it is pending.
class server::session : public std::enable_shared_from_this<session> {
public:
    session(stream_protocol::socket socket, requests& to, const server_limits& limits, std::shared_ptr<std::size_t> clients)
        : socket_(std::move(socket)), requests_(to), limits_(limits), timer_(socket_.get_executor()), clients_(std::move(clients)) {
        ++*clients_;
    }
    ~session() { --*clients_; }

    void start() {
        limit_time();
        read();
    }

private:
    enum class stage { reading, working, answering };

    void limit_time() {
        timer_.expires_after(limits_.patience);
        timer_.async_wait([self = shared_from_this()](const error_code& failed) {
            if (!failed) self->close();
        });
    }

    void read() {
        socket_.async_read_some(boost::asio::buffer(part_), [self = shared_from_this()](const error_code& failed, std::size_t size) {
            if (failed) return self->lost();
            self->take({self->part_.data(), size});
        });
    }

    void take(std::string_view part) {
        if (at_ != stage::reading) return lost();  // a second request
        const std::size_t end = part.find('\n');
        request_ += part.substr(0, end);
        if (request_.size() > limits_.request_bytes) return close();
        if (end == std::string_view::npos) return read();
        at_ = stage::working;
        timer_.cancel();
        auto give_up = requests_.handle(request_, [self = shared_from_this()](std::string text) { self->answer(std::move(text)); });
        if (at_ != stage::working) return;
        give_up_ = std::move(give_up);
        read();  // only to see the client go
    }

    void answer(std::string text) {
        if (at_ != stage::working) return;
        at_ = stage::answering;
        give_up_ = {};
        answer_ = std::move(text) + '\n';
        error_code failed;
        socket_.non_blocking(true, failed);
        // At once as far as possible: the host may be about to end.
        const std::size_t sent = socket_.write_some(boost::asio::buffer(answer_), failed);
        if (failed && failed != boost::asio::error::would_block) return close();
        if (sent == answer_.size()) return close();
        limit_time();
        boost::asio::async_write(socket_, boost::asio::buffer(answer_) + sent,
                                 [self = shared_from_this()](const error_code&, std::size_t) { self->close(); });
    }

    // The client has gone, or says what nobody asked for.
    void lost() {
        if (at_ == stage::answering) return;
        close();
        at_ = stage::answering;
        if (const auto give_up = std::exchange(give_up_, {})) give_up();
    }

    void close() {
        timer_.cancel();
        error_code ignored;
        socket_.close(ignored);
    }

    stream_protocol::socket socket_;
    requests& requests_;
    const server_limits limits_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<std::size_t> clients_;
    stage at_ = stage::reading;
    std::array<char, 4096> part_;
    std::string request_;
    std::string answer_;
    std::function<void()> give_up_;
};

core::result<std::unique_ptr<server>> server::open(boost::asio::io_context& on, const std::filesystem::path& socket_file, requests& to,
                                                   server_limits limits) {
    const auto where = address::of(socket_file);
    if (!where) return where.error();
    const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return state::file_fault(socket_file, "cannot be made");
    ::unlink(socket_file.c_str());
    // The mode first: nobody else gets in between bind and chmod.
    if (::fchmod(made, 0600) != 0 || ::bind(made, where->get(), where->size()) != 0 || ::chmod(socket_file.c_str(), 0600) != 0 ||
        ::listen(made, 16) != 0) {
        const core::failure why = state::file_fault(socket_file, "cannot be made");
        ::close(made);
        return why;
    }
    std::unique_ptr<server> out{new server{on, socket_file, to, limits}};
    out->acceptor_.assign(stream_protocol{}, made);
    out->accept();
    return out;
}

server::server(boost::asio::io_context& on, std::filesystem::path socket_file, requests& to, server_limits limits)
    : file_(std::move(socket_file)), requests_(to), limits_(limits), acceptor_(on), pause_(on) {}

server::~server() { ::unlink(file_.c_str()); }

void server::accept() {
    acceptor_.async_accept([this](const error_code& failed, stream_protocol::socket socket) {
        if (failed == boost::asio::error::operation_aborted) return;
        if (failed) {  // no descriptor is free
            pause_.expires_after(pause_after_failure);
            pause_.async_wait([this](const error_code& stopped) {
                if (!stopped) accept();
            });
            return;
        }
        if (*clients_ < limits_.clients && is_friend(socket.native_handle()))
            std::make_shared<session>(std::move(socket), requests_, limits_, clients_)->start();
        accept();
    });
}

}  // namespace mqb::host::admin
