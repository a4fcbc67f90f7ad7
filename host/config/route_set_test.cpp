#include "host/config/route_set.hpp"

#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

using namespace mqb::config;
using fakes::lines;

namespace {

namespace fs = std::filesystem;

struct scratch_directory {
    scratch_directory() : path((fs::temp_directory_path() / ("mqb-routes-" + std::string(6, 'X'))).string()) {
        REQUIRE(::mkdtemp(path.data()));
    }
    ~scratch_directory() { fs::remove_all(path); }
    scratch_directory(const scratch_directory&) = delete;
    scratch_directory& operator=(const scratch_directory&) = delete;
    std::string write(const std::string& name, const std::string& text) const {
        fs::create_directories((fs::path{path} / name).parent_path());
        std::ofstream{fs::path{path} / name, std::ios::binary} << text;
        return path + '/' + name;
    }
    std::string path;
};

struct read_files {
    std::vector<std::string> routes;
    lines found;
};

read_files read(const std::vector<std::string>& names, const std::string& folder) {
    findings to;
    std::vector<std::string> secrets;
    read_files out;
    for (const route_file& f : read_route_set(names, {}, to, secrets).files)
        for (const route_shape& r : f.routes) out.routes.push_back(r.definition.name);
    for (const finding& f : to.sorted()) {
        std::string line = f.line();
        for (std::size_t at; (at = line.find(folder)) != std::string::npos;) line.replace(at, folder.size(), "DIR");
        out.found.push_back(line);
    }
    return out;
}

std::string route(const std::string& name) { return name + ": {input: {file: {path: x}}}\n"; }

}  // namespace

TEST_CASE("a directory stands for its route files in the order of their names") {
    const scratch_directory d;
    d.write("20.yml", route("b"));
    d.write("10.yaml", route("a"));
    d.write("30.json", R"({"c": {"input": {"file": {"path": "x"}}}})");
    d.write(".hidden.yaml", "{");
    d.write("notes.txt", "{");
    d.write("deeper/40.yaml", route("d"));
    d.write("40.yaml/50.yaml", route("e"));
    const std::string single = d.write("deeper/5.conf", route("f"));
    const read_files out = read({d.path, single}, d.path);
    CHECK(out.found == lines{});
    CHECK(out.routes == std::vector<std::string>{"a", "b", "c", "f"});
}

TEST_CASE("one name twice is refused with both places, one file twice as well") {
    const scratch_directory d;
    d.write("a.yaml", "\n" + route("r"));
    const std::string b = d.write("b.yaml", "routes:\n  " + route("r"));
    CHECK(read({d.path}, d.path).found == lines{"DIR/b.yaml:2:3: routes.r: a route of this name is in DIR/a.yaml:2:1 already"});
    CHECK(read({b, b}, d.path).found == lines{"DIR/b.yaml:2:3: routes.r: a route of this name is in DIR/b.yaml:2:3 already"});
}

TEST_CASE("a name that a terminal would obey is refused, and shown without what it would do") {
    const scratch_directory d;
    d.write("a.yaml", "\"a\\e[31mred\": {input: {file: {path: x}}}\n");
    CHECK(read({d.path}, d.path).found == lines{"DIR/a.yaml:1:1: a [31mred: a route's name holds a control character"});
}

TEST_CASE("what cannot be read is told, and the rest is read") {
    const scratch_directory d;
    d.write("a.yaml", route("a"));
    d.write("b.toml", "x = 1");
    d.write("c.yaml", std::string{"a: \0b", 5});
    d.write("d.yaml", "a:\n  b: \xc3\x28\n");
    d.write("e.yaml", std::string{"\xff\xfe"
                                  "a\0",
                                  4});
    d.write("f.json", "{\"a\": ");
    d.write("g.yaml", "");
    d.write("h.yaml", "\xef\xbb\xbf" + route("h"));
    d.write("i.yaml", "i: {input: {file: {path: \"x\n");
    fs::create_symlink("nowhere", d.path + "/j.yaml");
    fs::create_directory(d.path + "/none");
    const read_files out = read({d.path, d.path + "/none"}, d.path);
    CHECK(out.routes == std::vector<std::string>{"a", "h"});
    lines found = out.found;
    REQUIRE(found.size() == 9);
    CHECK(found[0] == "DIR/none: holds no *.yaml, *.yml or *.json");
    CHECK(found[1] == "DIR/b.toml: TOML is not read: write YAML or JSON");
    CHECK(found[2] == "DIR/c.yaml:1:4: is not text: there is a byte 0x00");
    CHECK(found[3] == "DIR/d.yaml:2:6: is not UTF-8");
    CHECK(found[4] == "DIR/e.yaml:1:1: is UTF-16: write UTF-8");
    CHECK(found[5].starts_with("DIR/f.json:1:7: JSON: "));
    CHECK(found[6] == "DIR/g.yaml:1:1: warning: says nothing: there is no route in it");
    CHECK(found[7].starts_with("DIR/i.yaml:2:1: "));
    CHECK(found[8] == "DIR/j.yaml: cannot be read: No such file or directory");
}

TEST_CASE("a file of 1 GiB is refused by its size, an endless one after a bound") {
    const scratch_directory d;
    const std::string file = d.write("a.yaml", "");
    fs::resize_file(file, std::uintmax_t{1} << 30);
    CHECK(read({file}, d.path).found == lines{"DIR/a.yaml: larger than 16 MiB"});
    CHECK(read({"/dev/zero"}, d.path).found == lines{"/dev/zero: larger than 16 MiB"});
}

TEST_CASE("the last of several files that says a setting wins, plugins add up") {
    findings to;
    std::vector<std::string> secrets;
    const route_set set =
        read_route_texts({{"a.yaml", "log_level: debug\nplugins: [x]\nstate_dir: /a\n"}, {"b.yaml", "log: {level: error}\nplugins: [y]\n"}},
                         {}, to, secrets);
    CHECK_FALSE(to.has_errors());
    CHECK(set.all_settings().log_level == "error");
    CHECK(set.all_settings().state_dir == "/a");
    CHECK(set.all_settings().plugins == std::vector<std::string>{"x", "y"});
}
