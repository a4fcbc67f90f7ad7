#include "socket_place.hpp"

#include <mqb/sdk/status.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

using namespace mqb::memory;

namespace {

struct scratch_folder {
    std::string path = "/tmp/mqb-place-" + std::string(6, 'X');
    scratch_folder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
    ~scratch_folder() { std::filesystem::remove_all(path); }
    std::string operator/(const std::string& name) const { return path + "/" + name; }
};

unsigned mode_of(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777u : 0;
}

const address orders{address::kind::named_socket, "orders"};

// The variable for as long as this lives.
struct runtime_folder {
    std::optional<std::string> before;
    explicit runtime_folder(const char* value) {
        if (const char* old = std::getenv("XDG_RUNTIME_DIR")) before = old;
        value ? ::setenv("XDG_RUNTIME_DIR", value, 1) : ::unsetenv("XDG_RUNTIME_DIR");
    }
    ~runtime_folder() { before ? ::setenv("XDG_RUNTIME_DIR", before->c_str(), 1) : ::unsetenv("XDG_RUNTIME_DIR"); }
};

}  // namespace

TEST_CASE("named sockets are looked for in /run, in the runtime folder of the user and in /tmp") {
    using all = std::vector<std::string>;
    const runtime_folder set("/run/user/7");
    CHECK(socket_folders() == all{"/run/mq-bridge", "/run/user/7/mq-bridge", "/tmp/mq-bridge"});
    for (const char* value : {static_cast<const char*>(nullptr), "", "relative"}) {
        const runtime_folder none(value);
        CHECK(socket_folders() == all{"/run/mq-bridge", "/tmp/mq-bridge"});
    }
}

TEST_CASE("the first folder that can be had is taken, and made for its user alone") {
    const scratch_folder scratch;
    const std::vector<std::string> folders{scratch / "none/mq-bridge", scratch / "second", scratch / "third"};
    CHECK(socket_path(orders, false, folders) == scratch / "second/orders.sock");
    CHECK_FALSE(std::filesystem::exists(scratch / "second"));  // a publisher makes nothing
    CHECK(socket_path(orders, true, folders) == scratch / "second/orders.sock");
    CHECK(mode_of(scratch / "second") == 0700);
    CHECK(socket_path(orders, false, folders) == scratch / "second/orders.sock");
}

TEST_CASE("a folder that others may write in, or that is none, is passed over, and told when none is left") {
    const scratch_folder scratch;
    std::filesystem::create_directory(scratch / "open");
    ::chmod((scratch / "open").c_str(), 0777);
    std::ofstream(scratch / "file") << "x";
    std::filesystem::create_directory(scratch / "real");
    std::filesystem::create_symlink(scratch / "real", scratch / "link");
    const std::vector<std::string> bad{scratch / "open", scratch / "file", scratch / "link"};
    std::vector<std::string> folders = bad;
    folders.push_back(scratch / "good");
    CHECK(socket_path(orders, true, folders) == scratch / "good/orders.sock");
    try {
        socket_path(orders, true, bad);
        FAIL("it found one");
    } catch (const mqb::sdk::failure& thrown) {
        CHECK(thrown.answer == mqb::sdk::status::bad_config);
        CHECK(thrown.what() == "no folder for the socket \"orders\": " + (scratch / "open others may write in it: chmod 0700; ") +
                                   (scratch / "file is not a directory; ") + (scratch / "link is not a directory"));
    }
}

TEST_CASE("a socket is bound with mode 0600, has one owner, and goes with it") {
    const scratch_folder scratch;
    const std::string path = socket_path({address::kind::socket_path, scratch / "a/b/s.sock"}, true);
    {
        const listening_socket first(path);
        CHECK(mode_of(path) == 0600);
        CHECK(mode_of(scratch / "a") == 0700);
        CHECK(mode_of(scratch / "a/b") == 0700);
        try {
            const listening_socket second(path);
            FAIL("two listen");
        } catch (const mqb::sdk::failure& thrown) {
            CHECK(thrown.answer == mqb::sdk::status::retry);
            CHECK(std::string_view(thrown.what()).ends_with("s.sock is in use: another consumer listens there"));
        }
        CHECK(static_cast<bool>(connect_to(path)));
    }
    CHECK(std::filesystem::is_empty(scratch / "a/b"));
    CHECK_THROWS_AS(connect_to(path), mqb::sdk::failure);
}
