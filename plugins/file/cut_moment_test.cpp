// A file that is cut, or a read of it that fails, between any two reads of its reader.
#include <cerrno>
#include <optional>

#include "packed_test.hpp"
#include "pread_under_test.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const std::string consume = R"("mode":"consume")", group = R"("mode":"group_subscribe","group_id":"g")";
const std::string modes[]{consume, group};

struct reader : consumer_under_test {
    reader(const std::string& path, const std::string& mode)
        : consumer_under_test(R"({"path":")" + path + R"(","format":"raw",)" + mode + "}", false) {
        REQUIRE(connect() == "");
    }
    // What was received, when all of it is settled.
    texts settled() {
        texts given;
        for (const letter& one : got) given.push_back(one.payload);
        CHECK(settle(static_cast<std::uint32_t>(got.size())) == static_cast<int>(got.size()));
        free_batch();
        return given;
    }
    texts take(std::uint32_t most) {
        CHECK(receive(most) == MQB_OK);
        return settled();
    }
    // Over the pauses between two looks at other files.
    texts rest() {
        texts given;
        for (int round = 0; round < 3; ++round) {
            host.time += 1'000'000'000;
            for (std::string& one : all()) given.push_back(std::move(one));
        }
        return given;
    }
};

// `run` calls cut() where the moments begin at which in.log is copied and cut, once each, and answers what it has to have got until then and
// what it got. What comes after the cut has to follow.
template <class Run>
void try_each_cut(Run run) {
    bool was_cut = true;
    for (std::size_t moment = 0; was_cut; ++moment) {
        CAPTURE(moment);
        scratch dir;
        std::optional<pread_under_test> cut;
        auto [expected, got] = run(dir, [&] {
            cut.emplace(moment, [&dir] {
                if (fs::exists(dir / "in.log.1")) fs::rename(dir / "in.log.1", dir / "in.log.2");
                fs::copy_file(dir / "in.log", dir / "in.log.1");
                write_file(dir / "in.log", "other 1\nother 2\nother 3\n");
            });
        });
        was_cut = cut->is_done();
        if (was_cut) expected.insert(expected.end(), {"other 1", "other 2", "other 3"});
        CHECK(got == expected);
    }
}

}  // namespace

TEST_CASE("a file that is copied and cut at any moment while what was freed unsettled comes again is read as a whole") {
    try_each_cut([](const scratch& dir, auto cut) {
        write_file(dir / "in.log", "line 1\nline 2\n");
        reader c(dir / "in.log", group);
        CHECK(c.take(1) == texts{"line 1"});
        CHECK(c.receive() == MQB_OK);
        CHECK(c.got.size() == 1);
        cut();
        c.free_batch();
        return std::pair(texts{"line 2"}, c.rest());
    });
}

TEST_CASE("a file that is copied and cut at any moment while a group starts is read as a whole") {
    for (const std::uint32_t settled : {0, 1}) {
        CAPTURE(settled);
        try_each_cut([&](const scratch& dir, auto cut) {
            write_file(dir / "in.log", "line 1\nline 2\n");
            {
                reader before(dir / "in.log", group);
                CHECK(before.receive(1) == MQB_OK);
                if (settled > 0) CHECK(before.settle(1) == 1);
                before.free_batch();
            }
            cut();
            reader c(dir / "in.log", group);
            return std::pair(settled > 0 ? texts{"line 2"} : texts{"line 1", "line 2"}, c.rest());
        });
    }
}

TEST_CASE(
    "a file that is copied and cut at any moment before a group that began while it was empty has settled anything of it is read as a "
    "whole") {
    for (const bool is_killed : {false, true}) {
        CAPTURE(is_killed);
        try_each_cut([&](const scratch& dir, auto cut) {
            write_file(dir / "in.log.1", "old\n");
            write_file(dir / "in.log", "");
            std::optional<reader> c(std::in_place, dir / "in.log", group);
            CHECK(c->rest().empty());
            write_file(dir / "in.log", "line 1\nline 2\n", true);
            cut();
            CHECK(c->receive() == MQB_OK);
            if (is_killed) {
                c->free_batch();
                c.emplace(dir / "in.log", group);
                return std::pair(texts{"line 1", "line 2"}, c->rest());
            }
            texts got = c->settled();
            for (const std::string& one : c->rest()) got.push_back(one);
            return std::pair(texts{"line 1", "line 2"}, got);
        });
    }
}

TEST_CASE("a file that is renamed, or copied and cut, is read on when a look at it has failed") {
    for (const std::string& mode : modes) {
        for (const bool is_cut : {false, true}) {
            bool has_failed = true;
            for (std::size_t number = 0; has_failed; ++number) {
                CAPTURE(mode);
                CAPTURE(is_cut);
                CAPTURE(number);
                scratch dir;
                write_file(dir / "in.log", "line 1\n");
                reader c(dir / "in.log", mode);
                std::string got, log;
                const auto read_on = [&] {
                    for (int round = 0; round < 6; ++round) {
                        while ((c.last = c.receive(1)) == MQB_OK && c.batch != nullptr) {
                            if (c.settle(1) == 1) got += c.got[0].payload + ";";  // else it comes again
                            c.free_batch();
                        }
                        c.host.time += 1'000'000'000;
                        if (c.last == MQB_OK) continue;
                        log += c.why + "|";
                        CHECK(c.connect() == "");
                    }
                };
                read_on();
                write_file(dir / "in.log", "line 2\n", true);
                if (is_cut)
                    fs::copy_file(dir / "in.log", dir / "in.log.1");
                else
                    fs::rename(dir / "in.log", dir / "in.log.1");
                write_file(dir / "in.log", "other\n");
                const pread_under_test fails(
                    number, [] {}, EIO);
                read_on();
                CAPTURE(log);
                has_failed = fails.is_done();
                CHECK(got == "line 1;line 2;other;");
            }
        }
    }
}

TEST_CASE("of one of several files that is cut at any moment, and longer again than before, all is read") {
    const texts fresh{"other 1", "other 2", "other 3", "other 4", "other 5"};
    enum { start, run, again };
    for (const std::string& mode : {consume, group, group + R"(,"read_from_tail":true)"}) {
        for (const int when : {start, run, again}) {
            if (when == again && mode == consume) continue;  // comes again as it is in memory
            bool was_cut = true;
            for (std::size_t moment = 0; was_cut; ++moment) {
                CAPTURE(mode);
                CAPTURE(when);
                CAPTURE(moment);
                scratch dir;
                write_file(dir / "a.log", "line 1\n");
                if (mode == group) CHECK(reader(dir / "*.log", group).rest() == texts{"line 1"});
                std::optional<pread_under_test> cut;
                const auto begin = [&] {
                    cut.emplace(moment, [&dir] { write_file(dir / "a.log", "other 1\nother 2\nother 3\nother 4\nother 5\n"); });
                };
                if (when == start) begin();
                reader c(dir / "*.log", mode);
                texts got;
                const auto read_on = [&] {
                    for (const std::string& one : c.rest()) got.push_back(one);
                };
                if (when != start) {
                    read_on();
                    write_file(dir / "a.log", "line 2\n", true);
                    if (when == again) {
                        c.host.time += 1'000'000'000;
                        c.receive();
                        CHECK(c.got.size() == 1);
                    }
                    begin();
                    c.free_batch();
                    write_file(dir / "b.log", "b\n");
                }
                for (int i = 0; i < 4; ++i) read_on();
                was_cut = cut->is_done();
                std::erase(got, "b");
                std::erase_if(got, [](const std::string& one) { return one.starts_with("line "); });
                CHECK(got == (was_cut ? fresh : texts{}));
            }
        }
    }
}

TEST_CASE("a file that is cut at any moment while reading begins at its end is read from its beginning, or from its end then") {
    const texts fresh{"other 1", "other 2", "other 3"};
    for (const std::string& mode : {std::string(R"("mode":"subscribe")"), group + R"(,"read_from_tail":true)"}) {
        bool was_cut = true;
        for (std::size_t moment = 0; was_cut; ++moment) {
            CAPTURE(mode);
            CAPTURE(moment);
            scratch dir;
            write_file(dir / "in.log", "line 1\nha");
            const pread_under_test cut(moment, [&dir] { write_file(dir / "in.log", "other 1\nother 2\nother 3\n"); });
            reader c(dir / "in.log", mode);
            texts got = c.rest();
            was_cut = cut.is_done();
            if (!got.empty() && got[0] == "ha") got.erase(got.begin());  // it was read before
            CHECK((got.empty() || got == fresh));
        }
    }
}

TEST_CASE("where records are deleted, a file that is cut by others at any moment is read as a whole") {
    const texts fresh{"other 1", "other 2", "other 3"};
    for (const bool is_start : {true, false}) {
        bool was_cut = true;
        for (std::size_t moment = 0; was_cut; ++moment) {
            CAPTURE(is_start);
            CAPTURE(moment);
            scratch dir;
            write_file(dir / "in.log", "line 1\nline 2\n");
            std::optional<pread_under_test> cut;
            const auto begin = [&] { cut.emplace(moment, [&dir] { write_file(dir / "in.log", "other 1\nother 2\nother 3\n"); }); };
            if (is_start) begin();
            texts got;
            {
                reader c(dir / "in.log", R"("delete":true)");
                if (!is_start) begin();
                CHECK(c.receive(1) == MQB_OK);
                if (c.batch != nullptr) {
                    got.push_back(c.got[0].payload);
                    CHECK(c.settle(1) == 1);
                    c.free_batch();
                }
                for (const std::string& one : c.rest()) got.push_back(one);
            }
            was_cut = cut->is_done();
            std::erase_if(got, [](const std::string& one) { return one.starts_with("line "); });
            CHECK(got == (was_cut ? fresh : texts{}));
            CHECK(read_file(dir / "in.log").empty());
        }
    }
}

TEST_CASE("what is appended at any moment, by whoever opens the file or has it open, comes once") {
    for (const std::string& mode : {std::string(R"("delete":true)"), group}) {
        for (const bool keeps_open : {false, true}) {
            if (keeps_open && mode != group) continue;  // it writes into a file without a name in the end
            bool was_added = true;
            for (std::size_t moment = 0; was_added; ++moment) {
                CAPTURE(mode);
                CAPTURE(keeps_open);
                CAPTURE(moment);
                scratch dir;
                write_file(dir / "in.log", "line 1\nline 2\n");
                std::ofstream writer(dir / "in.log", std::ios::app);
                std::optional<pread_under_test> added;
                added.emplace(moment, [&] {
                    if (keeps_open)
                        writer << "line 3\n" << std::flush;
                    else
                        write_file(dir / "in.log", "line 3\n", true);
                });
                texts got;
                {
                    reader c(dir / "in.log", mode);
                    CHECK(c.receive(1) == MQB_OK);
                    got.push_back(c.got[0].payload);
                    CHECK(c.settle(1) == 1);
                    c.free_batch();
                    for (const std::string& one : c.rest()) got.push_back(one);
                    was_added = added->is_done();
                    added.reset();
                    for (const std::string& one : c.rest()) got.push_back(one);
                }
                for (const std::string& one : reader(dir / "in.log", mode).rest()) got.push_back(one);
                texts all{"line 1", "line 2"};
                if (was_added) all.push_back("line 3");
                CHECK(got == all);
            }
        }
    }
}

TEST_CASE("a packed file that is cut at any moment, and longer again than before, is read as a whole") {
    const std::string key = R"("encryption":{"key_id":"k1","key":")" + std::string(key_a) + R"("})";
    for (const bool is_sealed : {false, true}) {
        const auto packed = [&](const std::string& text) {
            return is_sealed ? block_of(keys_of(key_a, "k1"), text) : member_of(mqb::codec::compression::gzip, text);
        };
        bool was_cut = true;
        for (std::size_t moment = 0; was_cut; ++moment) {
            CAPTURE(is_sealed);
            CAPTURE(moment);
            scratch dir;
            write_file(dir / "in.log", packed("line 1\nline 2\n"));
            const std::string other = packed("other 1\n") + packed("other 2\nother 3\n") + packed("other 4\n");
            const pread_under_test cut(moment, [&] { write_file(dir / "in.log", other); });
            std::string got, log;
            reader c(dir / "in.log", is_sealed ? key : R"("compression":"gzip")");
            for (int round = 0; round < 6; ++round) {
                for (const std::string& one : c.rest()) got += one + ";";
                if (c.last == MQB_DISCONNECTED) CHECK(c.connect() == "");
                log += c.why + "|";
            }
            was_cut = cut.is_done();
            const std::size_t from = got.find("other");
            CAPTURE(got);
            CAPTURE(log);
            CHECK((from == got.npos ? "" : got.substr(from)) == (was_cut ? "other 1;other 2;other 3;other 4;" : ""));
        }
    }
}

TEST_CASE("a file that is renamed at any moment, with another one in its place, is read with that one, each record once") {
    for (const std::string& mode : {consume, group, std::string(R"("delete":true)")}) {
        bool was_renamed = true;
        for (std::size_t moment = 0; was_renamed; ++moment) {
            CAPTURE(mode);
            CAPTURE(moment);
            scratch dir;
            write_file(dir / "in.log", "line 1\nline 2\n");
            std::optional<pread_under_test> renamed;
            renamed.emplace(moment, [&dir] {
                write_file(dir / "in.log", "line 3\n", true);
                fs::rename(dir / "in.log", dir / "in.log.1");
                write_file(dir / "in.log", "other 1\nother 2\n");
            });
            std::string got;
            {
                reader c(dir / "in.log", mode);
                CHECK(c.receive(1) == MQB_OK);
                got += c.got[0].payload + ";";
                CHECK(c.settle(1) == 1);
                c.free_batch();
                for (const std::string& one : c.rest()) got += one + ";";
                was_renamed = renamed->is_done();
                renamed.reset();
                for (const std::string& one : c.rest()) got += one + ";";
            }
            if (mode != consume)
                for (const std::string& one : reader(dir / "in.log", mode).rest()) got += one + ";";
            CAPTURE(got);
            const std::string before = was_renamed ? "line 1;line 2;line 3;other 1;other 2;" : "line 1;line 2;";
            CHECK((got == before || got == "other 1;other 2;"));  // the second: it was renamed before it was seen
        }
    }
}
