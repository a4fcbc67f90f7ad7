#include "host/state/state_directory.hpp"

#include "host/state/state_test.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fstream>
#include <sstream>

using namespace mqb::state;
namespace fs = std::filesystem;

namespace {

std::string fault_of(const mqb::core::result<state_directory>& opened) { return opened ? std::string{} : opened.error().text; }

std::string text_of(const fs::path& file) {
    std::ifstream in{file};
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

unsigned mode_of(const fs::path& path) {
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 07777;
}

constexpr const char* advice = "; name another one with --state-dir, MQB_STATE_DIR or the key state_dir";

}  // namespace

TEST_CASE("the default is /var/lib for root, else below XDG_STATE_HOME, else below HOME") {
    CHECK(*default_state_directory(true, "/x", "/h") == "/var/lib/mqbridge");
    CHECK(*default_state_directory(false, "/x", "/h") == "/x/mqbridge");
    CHECK(*default_state_directory(false, nullptr, "/h") == "/h/.local/state/mqbridge");
    CHECK(*default_state_directory(false, "not/absolute", "/h") == "/h/.local/state/mqbridge");
    CHECK(default_state_directory(false, "", nullptr).error().text ==
          std::string{"no place for the state directory: neither XDG_STATE_HOME nor HOME is an absolute path"} + advice);
}

TEST_CASE("a state directory is made for the user alone, with those above it, and says its format") {
    scratch_folder in;
    const fs::path path = in.path() / "a/b/state";
    const auto opened = state_directory::open(path);
    REQUIRE(opened.has_value());
    CHECK(opened->path() == path);
    CHECK(mode_of(path) == 0700);
    CHECK(mode_of(in.path() / "a") == 0700);
    CHECK(text_of(path / "format") == "mqbridge-state 1\n");
    CHECK(text_of(path / "lock") == std::to_string(::getpid()) + "\n");
    CHECK(mode_of(path / "lock") == 0600);
    CHECK_FALSE(fs::exists(path / "format.new"));
}

TEST_CASE("a second host on a directory is told the process of the first, until that is killed") {
    scratch_folder in;
    child_process first{[&](int to) {
        const auto opened = state_directory::open(in.path());
        if (!opened || ::write(to, "locked\n", 7) != 7) return 1;
        ::pause();
        return 0;
    }};
    REQUIRE(first.line() == "locked");
    CHECK(fault_of(state_directory::open(in.path())) == "state directory " + in.path().string() +
                                                            ": another mqbridge runs on it (process " + std::to_string(first.id()) +
                                                            "): stop that one, or give this one a directory of its own with --state-dir");
    REQUIRE(state_directory::visit(in.path()).has_value());
    CHECK(state_directory::visit(in.path())->holder() == first.id());
    first.kill();
    CHECK(first.end() == -SIGKILL);
    CHECK_FALSE(state_directory::visit(in.path())->holder());
    const auto second = state_directory::open(in.path());
    CHECK(fault_of(second) == "");
    CHECK(text_of(in.path() / "lock") == std::to_string(::getpid()) + "\n");
}

TEST_CASE("the lock goes with its object, and moves with it") {
    scratch_folder in;
    {
        auto first = state_directory::open(in.path());
        REQUIRE(first.has_value());
        const state_directory moved{std::move(*first)};
        CHECK_FALSE(state_directory::open(in.path()).has_value());
    }
    CHECK(state_directory::open(in.path()).has_value());
}

TEST_CASE("a directory that others may write to, or that belongs to another user, is refused") {
    scratch_folder in;
    for (const mode_t mode : {0770u, 0702u}) {
        REQUIRE(::chmod(in.path().c_str(), mode) == 0);
        CHECK(fault_of(state_directory::open(in.path())) ==
              "state directory " + in.path().string() + ": others may write to it: chmod 700 " + in.path().string());
        CHECK_FALSE(state_directory::visit(in.path()).has_value());
    }
    REQUIRE(::chmod(in.path().c_str(), 0700) == 0);
    const fs::path other = ::geteuid() == 0 ? in.path() : fs::path{"/usr"};
    if (::geteuid() == 0) REQUIRE(::chown(in.path().c_str(), 65534, 65534) == 0);
    const std::string text = fault_of(state_directory::open(other));
    CHECK(text.starts_with("state directory " + other.string() + ": belongs to user "));
    CHECK(text.find(::geteuid() == 0 ? "(65534), and this process runs as root (0)" : "root (0), and this process runs as ") !=
          std::string::npos);
    CHECK(text.ends_with(advice));
    CHECK(state_directory::visit(other).has_value() == (::geteuid() == 0));  // root may ask everybody
}

TEST_CASE("what is no directory, and what is not there, is named") {
    scratch_folder in;
    std::ofstream{in.path() / "file"} << "x";
    CHECK(fault_of(state_directory::open(in.path() / "file")).find("file: File exists") == std::string::npos);
    CHECK(fault_of(state_directory::open(in.path() / "file")) ==
          "state directory " + (in.path() / "file").string() + ": is not a directory" + advice);
    CHECK(fault_of(state_directory::open(in.path() / "file/below")).find("Not a directory") != std::string::npos);
    CHECK(fault_of(state_directory::visit(in.path() / "none")) ==
          "state directory " + (in.path() / "none").string() + ": does not exist: no mqbridge has run with it");
}

TEST_CASE("a later format is refused with both numbers, and an unreadable one too") {
    scratch_folder in;
    std::ofstream{in.path() / "format"} << "mqbridge-state 7\n";
    const std::string later = "state directory " + in.path().string() +
                              ": was written by a later mqbridge: it has format 7, and this program knows formats up to 1" + advice;
    CHECK(fault_of(state_directory::open(in.path())) == later);
    CHECK(fault_of(state_directory::visit(in.path())) == later);
    CHECK(text_of(in.path() / "format") == "mqbridge-state 7\n");
    std::ofstream{in.path() / "format"} << "something else\n";
    CHECK(fault_of(state_directory::open(in.path())) ==
          "state directory " + in.path().string() + ": its file \"format\" does not say \"mqbridge-state N\"" + advice);
}

TEST_CASE("each endpoint has a private folder, whatever its name, and the same one again") {
    scratch_folder in;
    const auto opened = state_directory::open(in.path());
    REQUIRE(opened.has_value());
    const fs::path plain = *opened->instance_directory("orders", "input");
    CHECK(plain == in.path() / "instances/orders/input");
    CHECK(mode_of(plain) == 0700);
    CHECK(*opened->instance_directory("orders", "input") == plain);
    CHECK(*opened->instance_directory("../up", "output.middlewares[0]") == in.path() / "instances/%2E.%2Fup/output.middlewares%5B0%5D");
    CHECK(*opened->instance_directory("", ".") == in.path() / "instances/%/%2E");
    const fs::path one = *opened->instance_directory(std::string(3000, 'r') + '1', "input");
    const fs::path two = *opened->instance_directory(std::string(3000, 'r') + '2', "input");
    CHECK(one != two);
    CHECK(one.parent_path().filename().string().size() < 255);
}

TEST_CASE("a directory that cannot be written is refused in one sentence") {
    scratch_folder in;
    const fs::path below = in.path() / "below";
    fs::create_directory(below);
    CHECK(as_nobody(in.path(),
                    [&] {
                        fs::permissions(in.path(), fs::perms::owner_read | fs::perms::owner_exec);
                        return fault_of(state_directory::open(in.path() / "new")) + '\n' + fault_of(state_directory::open(in.path()));
                    }) == "state directory " + (in.path() / "new").string() + ": " + (in.path() / "new").string() +
                              ": cannot be made: Permission denied" + advice + "\nstate directory " + in.path().string() +
                              ": cannot be written: Permission denied" + advice);
    fs::permissions(in.path(), fs::perms::owner_all);  // so that it can be removed
}

TEST_CASE("a read-only and a full file system are named") {
    scratch_folder in;
    const std::string said = with_small_disk(in.path(), 64 << 10, [&] {
        std::ofstream{in.path() / "fill"} << std::string(1 << 20, 'x');
        std::string out = fault_of(state_directory::open(in.path())) + '\n';
        fs::remove(in.path() / "fill");
        if (!make_read_only(in.path())) return std::string{"not read-only"};
        return out + fault_of(state_directory::open(in.path())) + '\n' + fault_of(state_directory::open(in.path() / "new"));
    });
    if (said.empty()) return;
    const std::string begin = "state directory " + in.path().string();
    CHECK(said == begin + ": cannot be written: No space left on device" + advice + '\n' + begin +
                      ": cannot be written: Read-only file system" + advice + '\n' + begin + "/new: " + in.path().string() +
                      "/new: cannot be made: Read-only file system" + advice);
}
