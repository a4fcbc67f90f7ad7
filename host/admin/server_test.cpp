#include "host/admin/server.hpp"

#include "host/admin/client.hpp"
#include "host/state/state_test.hpp"

#include <doctest/doctest.h>
#include <boost/asio/post.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <future>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

using namespace mqb::host::admin;
using mqb::state::scratch_folder;

namespace {

// Answers "echo X" at once; keeps the others until it is told.
class slow_host final : public requests {
public:
    std::function<void()> handle(std::string_view request, answer give) override {
        if (request.starts_with("echo ")) return give(std::string{request.substr(5)}), nullptr;
        if (request == "long") return give(std::string(5 << 20, 'x')), nullptr;
        waiting.push_back(std::move(give));
        if (request == "wait") came.set_value();
        return [this] { gone.release(); };
    }
    std::vector<answer> waiting;  // on the server's thread
    std::promise<void> came;
    std::counting_semaphore<> gone{0};  // once for each client that went
};

struct running_server {
    explicit running_server(server_limits limits = {}) {
        auto opened = server::open(context, file(), host, limits);
        REQUIRE(opened.has_value());
        door = std::move(*opened);
        thread = std::thread{[this] { context.run(); }};
    }
    ~running_server() {
        context.stop();
        thread.join();
    }
    [[nodiscard]] std::filesystem::path file() const { return folder.path() / "admin.sock"; }
    [[nodiscard]] std::string asked(std::string_view request) const {
        auto said = ask(file(), request);
        return !said ? said.error().text : *said ? **said : "nobody";
    }

    scratch_folder folder;
    boost::asio::io_context context;
    slow_host host;  // what waits in it goes before the context
    std::unique_ptr<server> door;
    std::thread thread;
};

int connected(const std::filesystem::path& file) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    file.string().copy(name.sun_path, sizeof name.sun_path - 1);
    const int out = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::connect(out, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
    return out;
}

// Waits for the host to close; what it said before.
std::string rest(int socket) {
    std::string out;
    char part[512];
    for (ssize_t size; (size = ::recv(socket, part, sizeof part, 0)) > 0;) out.append(part, static_cast<std::size_t>(size));
    ::close(socket);
    return out;
}

}  // namespace

TEST_CASE("each connection gets the answer to its request") {
    running_server at;
    CHECK(at.asked("echo hello") == "hello");
    CHECK(at.asked("echo ") == "");
    CHECK(at.asked("long").size() == 5 << 20);
    struct stat is {};
    REQUIRE(::stat(at.file().c_str(), &is) == 0);
    CHECK((is.st_mode & 07777) == 0600);
}

TEST_CASE("a late answer holds nobody up, and a client that goes is told of") {
    running_server at;
    auto late = std::async(std::launch::async, [&] { return at.asked("wait"); });
    at.host.came.get_future().wait();
    CHECK(at.asked("echo meanwhile") == "meanwhile");
    boost::asio::post(at.context, [&] { at.host.waiting.at(0)("done"); });
    CHECK(late.get() == "done");
    const int impatient = connected(at.file());
    REQUIRE(::send(impatient, "later\n", 6, 0) == 6);
    CHECK(at.asked("echo x") == "x");
    ::close(impatient);
    at.host.gone.acquire();
    boost::asio::post(at.context, [&] { at.host.waiting.at(1)("too late"); });
    CHECK(at.asked("echo still there") == "still there");
}

TEST_CASE("a host that does not answer in time is named, also when it takes no more connections") {
    const std::chrono::milliseconds soon{50};
    const std::string named = "process " + std::to_string(::getpid()) + " does not answer: it is stopped, or too busy";
    {
        running_server at;
        CHECK(ask(at.file(), "wait", soon).error().text == named);
        at.host.gone.acquire();
        CHECK(ask(at.file(), "echo x", soon)->value() == "x");
    }
    scratch_folder in;
    const auto file = in.path() / "admin.sock";
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    file.string().copy(name.sun_path, sizeof name.sun_path - 1);
    const int stopped = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::bind(stopped, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
    REQUIRE(::listen(stopped, 0) == 0);
    CHECK(ask(file, "x", soon).error().text == named);
    CHECK(ask(file, "x", soon).error().text == "the host does not answer: it is stopped, or too busy");
    ::close(stopped);
}

TEST_CASE("what comes too slowly, too long or once too often is cut off") {
    server_limits limits;
    limits.clients = 2;
    limits.request_bytes = 100;
    limits.patience = std::chrono::milliseconds{50};
    running_server at{limits};
    CHECK(rest(connected(at.file())) == "");  // says nothing
    CHECK(at.asked("echo " + std::string(95, 'x')) == std::string(95, 'x'));
    CHECK(at.asked("echo " + std::string(96, 'x')) == "the host sent no answer: it has ended, or it has too many clients");
    std::vector<int> waiting{connected(at.file()), connected(at.file())};
    for (const int one : waiting) REQUIRE(::send(one, "hold\n", 5, 0) == 5);
    CHECK(rest(connected(at.file())) == "");
    for (const int one : waiting) ::close(one);
    for ([[maybe_unused]] const int one : waiting) at.host.gone.acquire();
}

TEST_CASE("nobody is there before, and a socket that is left over is replaced") {
    scratch_folder in;
    const auto file = in.path() / "admin.sock";
    const auto is_nobody = [&] {
        const auto said = ask(file, "echo x");
        return said.has_value() && !said->has_value();
    };
    CHECK(is_nobody());
    boost::asio::io_context context;
    slow_host host;
    const auto first = server::open(context, file, host);
    REQUIRE(first.has_value());
    const auto second = server::open(context, file, host);
    CHECK(second.has_value());
    CHECK(server::open(context, in.path() / "none/admin.sock", host).error().text.find("cannot be made: No such file") !=
          std::string::npos);
}
