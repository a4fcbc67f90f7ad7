// A path that was rotated many times between two looks, and files beside it that cannot be opened.
#include <algorithm>
#include <optional>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_host.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const std::string consume = R"("mode":"consume")", group = R"("mode":"group_subscribe","group_id":"g")";

struct reader : consumer_under_test {
    reader(const scratch& dir, const std::string& mode)
        : consumer_under_test(R"({"path":")" + (dir / "in.log") + R"(","format":"raw",)" + mode + "}", false) {}
    texts rest() {
        texts given;
        for (int round = 0; round < 20; ++round) {
            for (std::string& one : all()) given.push_back(std::move(one));
            if (last != MQB_OK) why_not = why;
            host.time += 1'000'000'000;
        }
        return given;
    }
    std::string why_not;
};

// So many files can be opened besides those that are.
struct file_limit {
    explicit file_limit(rlim_t more) {
        ::getrlimit(RLIMIT_NOFILE, &before);
        const int next = ::dup(0);
        ::close(next);
        const rlimit now{static_cast<rlim_t>(next) + more, before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &now);
    }
    ~file_limit() { ::setrlimit(RLIMIT_NOFILE, &before); }
    rlimit before{};
};

// Each with one line; answers those.
texts rotate(const scratch& dir, int times, bool copies) {
    texts lines;
    for (int number = 0; number < times; ++number) {
        const std::string name = "in.log-" + std::to_string(20260000 + number);
        if (copies) {
            fs::copy_file(dir / "in.log", dir / name.c_str());
            fs::resize_file(dir / "in.log", 0);
        } else {
            fs::rename(dir / "in.log", dir / name.c_str());
        }
        lines.push_back("line " + std::to_string(number));
        write_file(dir / "in.log", lines.back() + "\n", true);
    }
    return lines;
}

}  // namespace

TEST_CASE("of a path that was rotated many times a bounded number of files is open at once, and all are read in order") {
    for (const std::string& mode : {consume, group})
        for (const bool is_empty : {false, true})
            for (const bool copies : {false, true})
                for (const bool is_same_run : {true, false}) {
                    if (!is_same_run && mode == consume) continue;
                    CAPTURE(mode);
                    CAPTURE(is_empty);
                    CAPTURE(copies);
                    CAPTURE(is_same_run);
                    scratch dir;
                    write_file(dir / "in.log", is_empty ? "" : "first\n");
                    std::optional<reader> c(std::in_place, dir, mode);
                    CHECK(c->connect() == "");
                    CHECK(c->rest().size() == (is_empty ? 0 : 1));
                    if (!is_same_run) c.reset();
                    const texts lines = rotate(dir, 200, copies);
                    if (!c) c.emplace(dir, mode);
                    const file_limit limit(80);
                    CHECK(c->connect() == "");
                    CHECK(c->rest() == lines);
                    CHECK(c->host.warnings.empty());
                }
}

TEST_CASE("a process that has no more files to open passes over none of those that were renamed") {
    for (const bool is_same_run : {true, false}) {
        CAPTURE(is_same_run);
        scratch dir;
        write_file(dir / "in.log", "first\n");
        std::optional<reader> c(std::in_place, dir, group);
        CHECK(c->connect() == "");
        CHECK(c->rest() == texts{"first"});
        if (!is_same_run) c.reset();
        const texts lines = rotate(dir, 20, false);
        if (!c) c.emplace(dir, group);
        texts got;
        {
            const file_limit limit(10);
            const std::string answer = c->connect();
            CHECK((answer.empty() || answer.find("Too many open files") != answer.npos));
            if (answer.empty()) got = c->rest();
            CHECK(c->why_not.find("Too many open files") != (is_same_run ? 0 : c->why_not.npos));
        }
        CHECK(c->connect() == "");
        for (const std::string& one : c->rest()) got.push_back(one);
        CHECK(got == lines);
        CHECK(c->host.warnings.empty());
    }
}

TEST_CASE("a renamed file that cannot be read is told, and those around it are read") {
    scratch dir;
    fs::permissions(dir.path, fs::perms::all);
    write_file(dir / "in.log", "first\n");
    reader c(dir, consume);
    CHECK(c.connect() == "");
    CHECK(c.rest() == texts{"first"});
    texts lines = rotate(dir, 5, false);
    fs::permissions(dir / "in.log-20260003", fs::perms::none);
    const bool is_root = ::geteuid() == 0;
    if (is_root) REQUIRE(::seteuid(65534) == 0);
    const texts got = c.rest();
    if (is_root) REQUIRE(::seteuid(0) == 0);
    lines.erase(lines.begin() + 2);
    CHECK(got == lines);
    REQUIRE(c.host.warnings.size() == 1);
    CHECK(c.host.warnings[0] ==
          "cannot open file source '" + (dir / "in.log-20260003") + "': Permission denied; what stands in it is not read");
}
