#include "host/config/exclusive.hpp"

#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;

TEST_CASE("a route does not write the file that it reads") {
    CHECK(complaints("r:\n  input: {file: {path: in.jsonl}}\n  output: {file: {path: ./in.jsonl}}\n") ==
          lines{"f.yaml:3:25: r.output.file.path: \"./in.jsonl\" is read by the same route, at r.input.file.path (f.yaml:2:24)"});
    CHECK(complaints("r:\n  input: {file: {path: x}}\n  output: {spread: [{file: {path: y}}, {file: {path: a/../x}}]}\n").size() == 1);
    CHECK(complaints("r:\n  input: {file: {path: x}}\n  output: {sink: {}, middlewares: [{aside: {endpoint: {file: {path: x}}}}]}\n")
              .size() == 1);
}

TEST_CASE("standard input and output have one name and are two things") {
    CHECK(complaints("r:\n  input: {file: {path: \"-\"}}\n  output: {file: {path: \"-\"}}\n").empty());
    CHECK(complaints("r:\n  input: {file: {path: ./-}}\n  output: {file: {path: ./-}}\n").size() == 1);
}

TEST_CASE("a file has one writer in all files of the set") {
    CHECK(plan({{"a.yaml", "a: {input: {queue: {}}, output: {file: {path: x}}}\n"},
                {"b.yaml", "b: {input: {queue: {}}, output: {file: {path: x}}}\n"}})
              .lines == lines{"b.yaml:1:47: b.output.file.path: \"x\" is written by a.output.file.path too (a.yaml:1:47)"});
}

TEST_CASE("a named endpoint that two routes refer to names both") {
    const auto text = [](const std::string& routes) { return complaints("endpoints: {b: {file: {path: z}}}\nroutes:\n" + routes); };
    const std::string in = "{input: {queue: {}}, output: {ref: b}}\n";
    CHECK(text("  r: " + in + "  s: " + in) ==
          lines{"f.yaml:1:30: endpoints.b.file.path: \"z\" is written by the routes r and s (f.yaml:1:30)"});
    CHECK(text("  r: {input: {queue: {}}, output: {spread: [{ref: b}, {ref: b}]}}\n") ==
          lines{"f.yaml:1:30: endpoints.b.file.path: \"z\" is written by the route r twice (f.yaml:1:30)"});
}

TEST_CASE("a file that is there is one by all its names: a hard link, a symbolic link to a folder") {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / ("mqb-exclusive-" + std::string(6, 'X'))).string();
    REQUIRE(::mkdtemp(folder.data()));
    std::ofstream{folder + "/in.jsonl"} << "1\n";
    std::ofstream{folder + "/other.jsonl"} << "1\n";
    fs::create_hard_link(folder + "/in.jsonl", folder + "/hard.jsonl");
    fs::create_directory_symlink(folder, folder + "/soft");
    const auto route = [&](const char* input, const char* output) {
        lines out = complaints("r:\n  input: {file: {path: " + folder + input + "}}\n  output: {file: {path: " + folder + output + "}}\n");
        for (std::string& line : out)
            for (std::size_t at; (at = line.find(folder)) != std::string::npos;) line.replace(at, folder.size(), "DIR");
        return out;
    };
    CHECK(route("/in.jsonl", "/hard.jsonl") == lines{"f.yaml:3:25: r.output.file.path: \"DIR/hard.jsonl\" is read by the same route, at "
                                                     "r.input.file.path (f.yaml:2:24): \"DIR/in.jsonl\" is the same file"});
    CHECK(route("/in.jsonl", "/soft/hard.jsonl").size() == 1);
    CHECK(route("/in.jsonl", "/soft/in.jsonl").size() == 1);
    CHECK(route("/soft/none.jsonl", "/none.jsonl").size() == 1);
    CHECK(route("/in.jsonl", "/other.jsonl").empty());
    CHECK(complaints("a: {input: {queue: {}}, output: {file: {path: " + folder +
                     "/hard.jsonl}}}\nb: {input: {queue: {}}, output: {file: {path: " + folder + "/in.jsonl}}}\n")
              .size() == 1);
    fs::remove_all(folder);
}

TEST_CASE("sharing that does no harm is no finding") {
    // Two readers; one route that writes what another one reads; a disabled route; a device.
    CHECK(complaints("a: {input: {file: {path: x}}}\nb: {input: {file: {path: x}}}\n").empty());
    CHECK(complaints("a: {input: {queue: {}}, output: {file: {path: x}}}\nb: {input: {file: {path: x}}}\n").empty());
    CHECK(complaints(
              "a: {input: {queue: {}}, output: {file: {path: x}}}\nb: {enabled: false, input: {queue: {}}, output: {file: {path: x}}}\n")
              .empty());
    CHECK(complaints(
              "a: {input: {queue: {}}, output: {file: {path: /dev/null}}}\nb: {input: {queue: {}}, output: {file: {path: /dev/null}}}\n")
              .empty());
}

TEST_CASE("names that are no paths are compared as they are written") {
    findings found;
    const auto use = [](const char* text, const char* type, mqb::core::side which, const char* route, std::uint32_t line) {
        return exclusive_use{{text, "text", {line, 1, 0}, std::string{route} + ".path"}, type, which, route};
    };
    using mqb::core::consumer_side, mqb::core::publisher_side;
    refuse_shared({use("a", "t", publisher_side, "r", 1), use("./a", "t", publisher_side, "s", 2), use("a", "u", publisher_side, "s", 3),
                   use("a", "t", consumer_side, "s", 4), use("a", "t", publisher_side, "v", 5)},
                  found);
    REQUIRE(found.sorted().size() == 1);
    CHECK(found.sorted()[0].line() == ":5:1: v.path: \"a\" is written by r.path too (:1:1)");
}
