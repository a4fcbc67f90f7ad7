#include "path_pattern.hpp"

#include <mqb/sdk/status.hpp>

#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using texts = std::vector<std::string>;

TEST_CASE("a path is a pattern by a wildcard or a slash at its end") {
    for (const char* path : {"logs/", "*.log", "logs/a?.log", "[ab].log", "a/*/b", "/"}) CHECK_MESSAGE(is_pattern(path), path);
    for (const char* path : {"", "a.log", "logs/a.log", "a[.log", "a].log", "/dev/stdin"}) CHECK_FALSE_MESSAGE(is_pattern(path), path);
    CHECK(pattern_folder("logs/") == "logs");
    CHECK(pattern_folder("*.log") == ".");
    CHECK(pattern_folder("/*.log") == "/");
    CHECK(pattern_folder("/var/log/*/x.log") == "/var/log");
    CHECK(pattern_folder("a/b[0-9]/c") == "a");
}

TEST_CASE("what matches comes byte by byte in order, without hidden files and what is kept beside others") {
    scratch dir;
    for (const char* name : {"b.log", "a.log", "B.log", "a.log.10", "a.log.9", ".hidden", "a.log.g.offset", "a.log.g.offset.fingerprint",
                             "a.log.g.offset.lock", "a.log.consumed", "out.writing", "half.tmp", "x y.log"})
        write_file(dir / name, "");
    const auto names = [&](const char* pattern) {
        texts found;
        for (const std::string& one : matching_paths(dir / pattern, true)) found.push_back(one.substr(dir.path.size() + 1));
        return found;
    };
    CHECK(names("") == texts{"B.log", "a.log", "a.log.10", "a.log.9", "b.log", "x y.log"});
    CHECK(names("*.log") == texts{"B.log", "a.log", "b.log", "x y.log"});
    CHECK(names("[ab].log") == texts{"a.log", "b.log"});
    CHECK(names("?.log.*") == texts{"a.log.10", "a.log.9"});
    CHECK(names("none*").empty());
}

TEST_CASE("a folder that is not there is told, and may come") {
    for (const bool is_final : {true, false}) try {
            matching_paths("/nowhere/*.log", is_final);
            FAIL("nothing was thrown");
        } catch (const mqb::sdk::failure& failed) {
            CHECK(failed.answer == (is_final ? mqb::sdk::status::bad_config : mqb::sdk::status::retry));
            CHECK(std::string(failed.what()) ==
                  "cannot read the folder '/nowhere' of file source '/nowhere/*.log': No such file or directory");
        }
}
