#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output_claim.hpp"
#include "output_file.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using mqb::file::output_file;

namespace {

std::string config(const std::string& path, const std::string& more = R"("format":"raw")") {
    return R"({"path":")" + path + "\"," + more + "}";
}

// A publisher that is killed: what the child does to the file stays, its claim too.
template <class Do>
void killed(const Do& what) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        what();
        ::_exit(0);
    }
    int ended = -1;
    REQUIRE(::waitpid(child, &ended, 0) == child);
    CHECK(ended == 0);
}

// Writes whole batches, and at the end a piece of one.
void write_and_die(const std::string& path, const std::vector<std::string>& batches) {
    killed([&] {
        auto* const file = new output_file(path);
        file->open('\n', false);
        for (const std::string& text : batches)
            if (file->begin_batch() != output_file::fate::here || file->write(text) != 0) ::_exit(1);
    });
}

struct next_start {
    explicit next_start(const std::string& path) : publisher(config(path)) {
        CHECK(publisher.connect() == "");
        publisher.send({"next"});
    }
    publisher_under_test publisher;
};

}  // namespace

TEST_CASE("what a killed publisher left of a record is cut, and nothing else") {
    scratch dir;
    const std::string long_half(600000, 'x');
    write_file(dir / "out", "before\n");
    const auto after = [&](const std::string& half) {
        write_and_die(dir / "out", {"one\ntwo\n", "three\n" + half});
        CHECK(std::filesystem::exists(dir / "out.writing"));
        next_start next(dir / "out");
        CHECK(next.publisher.host.warnings.size() == (half.empty() ? 0 : 1));
        if (!half.empty())
            CHECK(next.publisher.host.warnings.front() == "file target '" + (dir / "out") + "': " + std::to_string(half.size()) +
                                                              " bytes of a record that was not finished were cut from its end");
        const std::string text = read_file(dir / "out");
        write_file(dir / "out", "before\n");
        return text;
    };
    for (const std::string& half : {std::string("ha"), std::string(), long_half}) CHECK(after(half) == "before\none\ntwo\nthree\nnext\n");
    CHECK_FALSE(std::filesystem::exists(dir / "out.writing"));
}

TEST_CASE("the first record of all is cut back to nothing") {
    scratch dir;
    write_and_die(dir / "out", {"half"});
    next_start next(dir / "out");
    CHECK(read_file(dir / "out") == "next\n");
}

TEST_CASE("a last record that was there before is ended, never cut") {
    scratch dir;
    write_file(dir / "out", "theirs");
    write_and_die(dir / "out", {"\n", "ha"});
    next_start next(dir / "out");
    CHECK(read_file(dir / "out") == "theirs\nnext\n");

    write_file(dir / "other", "theirs");
    killed([&] { (new output_file(dir / "other"))->open('\n', false); });
    next_start ended(dir / "other");
    CHECK(read_file(dir / "other") == "theirs\nnext\n");
}

TEST_CASE("where another program appends, nothing is cut") {
    scratch dir;
    killed([&] {
        auto* const file = new output_file(dir / "out");
        file->open('\n', false);
        file->begin_batch();
        file->write("ours\n");
        write_file(dir / "out", "theirs\n", true);
        file->begin_batch();
        file->write("ours\n");
        write_file(dir / "out", "the", true);
    });
    next_start next(dir / "out");
    CHECK(read_file(dir / "out") == "ours\ntheirs\nours\nthe\nnext\n");
}

TEST_CASE("a file that somebody cut short while it was open is ours from there on") {
    scratch dir;
    killed([&] {
        auto* const file = new output_file(dir / "out");
        file->open('\n', false);
        file->begin_batch();
        file->write("a long record\n");
        write_file(dir / "out", "");
        file->begin_batch();
        file->write("b\nha");
    });
    next_start next(dir / "out");
    CHECK(read_file(dir / "out") == "b\nnext\n");
}

TEST_CASE("another file under the same name, and a claim that is damaged, cut nothing") {
    scratch dir;
    write_and_die(dir / "out", {"ha"});
    const auto id_at = [](const std::string& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        const auto id = mqb::file::output_claim::id_of(file);
        ::close(file);
        return id;
    };
    const mqb::file::output_claim::file_id gone = id_at(dir / "out");
    std::filesystem::remove(dir / "out");
    // It may get the number of the one that is gone, and is told from it by the time of its birth, which passes in steps of milliseconds.
    do {
        std::filesystem::remove(dir / "out");
        write_file(dir / "out", "theirs");
    } while (id_at(dir / "out") == gone);
    { next_start other(dir / "out"); }
    CHECK(read_file(dir / "out") == "theirs\nnext\n");

    write_and_die(dir / "out", {"ha"});
    std::string claim = read_file(dir / "out.writing");
    claim[4] = static_cast<char>(claim[4] ^ 1);
    write_file(dir / "out.writing", claim);
    next_start damaged(dir / "out");
    CHECK(read_file(dir / "out") == "theirs\nnext\nha\nnext\n");
}

TEST_CASE("two publishers of one file do not cut each other's records") {
    scratch dir;
    publisher_under_test first(config(dir / "out"));
    first.connect();
    first.send({"a"});
    write_file(dir / "out", "in the midd", true);
    publisher_under_test second(config(dir / "out"));
    CHECK(second.connect() == "");
    CHECK(second.host.warnings.front().find("is open in another publisher") != std::string::npos);
    CHECK(read_file(dir / "out") == "a\nin the midd");
}

TEST_CASE("a claim that cannot be written is told") {
    scratch dir;
    std::filesystem::create_directory(dir / "out.writing");
    next_start next(dir / "out");
    CHECK(next.publisher.host.warnings.size() == 1);
    CHECK(next.publisher.host.warnings.front().find("'" + (dir / "out.writing") + "' cannot be written: ") != std::string::npos);
    CHECK(read_file(dir / "out") == "next\n");
}
