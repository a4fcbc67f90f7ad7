#include "claim.hpp"

#include <sys/wait.h>
#include <csignal>

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;

namespace {

struct place : scratch {
    place() : directory(spool()) { directory.open(false); }
    spool_directory directory;
};

const std::string own = std::to_string(::getpid());

}  // namespace

TEST_CASE("a claim is held by one, says by whom, and is gone when it is released") {
    const place dir;
    claim first("PRODUCER"), second("PRODUCER"), other("CONSUMER");
    CHECK(first.take(dir.directory.root()) == 0);
    CHECK(dir.read("PRODUCER") == own + "\n");
    CHECK(first.take(dir.directory.root()) == 0);  // once more: still held
    CHECK(second.take(dir.directory.root()) == EWOULDBLOCK);
    CHECK(second.holder() == "process " + own);
    CHECK_FALSE(second.held());
    CHECK(other.take(dir.directory.root()) == 0);
    first.release();
    CHECK_FALSE(dir.has("PRODUCER"));
    CHECK(second.take(dir.directory.root()) == 0);
    CHECK(dir.read("PRODUCER") == own + "\n");
}

TEST_CASE("a file that nobody has locked is taken over, whatever stands in it") {
    const place dir;
    dir.write("PRODUCER", "1234567890\nand more");
    claim stale("PRODUCER");
    CHECK(stale.take(dir.directory.root()) == 0);
    CHECK(dir.read("PRODUCER") == own + "\n");
    fs::create_directory(dir / "D");
    fs::create_symlink("elsewhere", dir / "L");
    CHECK(claim("D").take(dir.directory.root()) == EISDIR);
    CHECK(claim("L").take(dir.directory.root()) == ELOOP);
    CHECK_FALSE(dir.has("elsewhere"));
    REQUIRE(::mkfifo((dir / "F").c_str(), 0600) == 0);
    CHECK(claim("F").take(dir.directory.root()) == EINVAL);
}

TEST_CASE("somebody else's claim is refused, told, or nothing, and one that cannot be written is refused") {
    const place dir;
    claim first("PRODUCER"), second("PRODUCER");
    CHECK(first.take_as("producer", dir.directory, claim_mode::off) == "");
    CHECK_FALSE(first.held());
    CHECK(first.take_as("producer", dir.directory, claim_mode::exclusive) == "");
    CHECK(first.held());
    const std::string told = "spool '" + dir.spool() + "' has a producer already: process " + own + " holds " + dir.spool() + "/PRODUCER";
    CHECK(second.take_as("producer", dir.directory, claim_mode::off) == "");
    CHECK(second.take_as("producer", dir.directory, claim_mode::warn) == told);
    const auto refused_by = [&](claim& one) {
        try {
            return "taken: " + one.take_as("producer", dir.directory, claim_mode::exclusive);
        } catch (const mqb::sdk::failure& failed) {
            CHECK(failed.answer == mqb::sdk::status::bad_config);
            return std::string(failed.what());
        }
    };
    CHECK(refused_by(second) == told);
    fs::create_directory(dir / "D");
    claim bad("D");
    CHECK(refused_by(bad) == "spool '" + dir.spool() + "': cannot write D: Is a directory");
}

TEST_CASE("a kill releases the claim and leaves its file") {
    const place dir;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        claim mine("PRODUCER");
        const char answer = mine.take(dir.directory.root()) == 0 ? '+' : '-';
        (void)!::write(ready[1], &answer, 1);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == '+');
    claim ours("PRODUCER");
    CHECK(ours.take(dir.directory.root()) == EWOULDBLOCK);
    CHECK(ours.holder() == "process " + std::to_string(child));
    ::kill(child, SIGKILL);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(dir.read("PRODUCER") == std::to_string(child) + "\n");
    CHECK(ours.take(dir.directory.root()) == 0);
    CHECK(dir.read("PRODUCER") == own + "\n");
    ::close(ready[0]);
    ::close(ready[1]);
}
