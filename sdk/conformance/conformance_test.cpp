// The kit on a plugin that is linked in, its reports, and its README.
#include <mqb/conformance/run.hpp>

#include "catalog.hpp"
#include "schema.hpp"

#include <boost/json/parse.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define MQB_LEAKS_ARE_MEANT __lsan::ScopedDisabler meant
#else
#define MQB_LEAKS_ARE_MEANT static_cast<void>(0)
#endif

using namespace mqb::conformance;

namespace {
// The smallest publisher: everything is done at once. Its send can be made to lie.
bool lies = false;
mqb_status send(mqb_publisher*, mqb_send* s) {
    for (std::uint32_t i = 0; i < s->outcomes.count; ++i) mqb_outcome_at(&s->outcomes, i)->result = lies ? MQB_UNSENT : MQB_DONE;
    return MQB_OK;
}
void cancel(mqb_publisher*, std::uint64_t) {}
void release(mqb_publisher* p) { delete p; }
const mqb_publisher_table table = {sizeof(mqb_publisher_table), 0, nullptr, send, nullptr, cancel, release};
// What create does besides.
bool leaves_files = false, aborts = false;
int files_left = 0;
std::string last_config;
mqb_status make(mqb_create* c) {
    last_config.assign(c->config.data, c->config.size);
    if (leaves_files && std::ofstream("left" + std::to_string(++files_left)) << "here") std::filesystem::create_directories("deep/er");
    if (aborts) std::abort();
    c->made = new mqb_publisher{&table};
    return MQB_OK;
}
const mqb_factory endpoint = {
    sizeof(mqb_factory), MQB_ENDPOINT, MQB_SIDE_PUBLISHER, 0, {"hole", 4}, {"{\"type\":\"object\"}", 17}, nullptr, make};
const mqb_factory* const factories[] = {&endpoint};
const mqb_plugin plugin = {sizeof(mqb_plugin), MQB_ABI_DRAFT, {"hole", 4}, {"1", 1}, {"MIT", 3}, factories, 1, 0, nullptr};

// A directory with "start", where the test is from now on, and an empty "tmp", where the kit puts what it needs.
struct scratch {
    std::filesystem::path path, before = std::filesystem::current_path();
    std::string temporary;
    scratch() {
        std::string name = (std::filesystem::temp_directory_path() / ("mqb-conformance-test-" + std::string(6, 'X'))).string();
        REQUIRE(mkdtemp(name.data()));
        path = std::filesystem::canonical(name);
        std::filesystem::create_directories(path / "start");
        std::filesystem::create_directories(path / "tmp");
        if (const char* set = std::getenv("TMPDIR")) temporary = set;
        setenv("TMPDIR", (path / "tmp").c_str(), 1);
        std::filesystem::current_path(path / "start");
        std::ofstream("meant.txt") << "of the author";
    }
    ~scratch() {
        std::filesystem::current_path(before);
        temporary.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", temporary.c_str(), 1);
        std::filesystem::remove_all(path);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    std::vector<std::string> entries(const char* folder) const {
        std::vector<std::string> out;
        for (const auto& e : std::filesystem::directory_iterator(path / folder)) out.push_back(e.path().filename().string());
        return out;
    }
};

std::string report_of(options o, int* code) {
    std::ostringstream out;
    o.plugin = "linked in";
    o.to = &out;
    *code = run_linked(&plugin, o);
    return out.str();
}
}  // namespace

TEST_CASE("a good plugin that is linked in passes") {
    int code = -1;
    const std::string text = report_of({}, &code);
    CAPTURE(text);
    CHECK(code == 0);
    CHECK(text.find("pass    hole/send ") != std::string::npos);
    CHECK(text.find("skip    exported_symbols") != std::string::npos);
}

TEST_CASE("a failure names the rule and the exit code is 1, in every form") {
    lies = true;
    int code = -1;
    options o;
    o.only = "send";
    CHECK(report_of(o, &code).find("rule: call.h") != std::string::npos);
    CHECK(code == 1);
    o.output = format::json;
    const auto json = boost::json::parse(report_of(o, &code));
    CHECK(json.at("cases").at(0).at("result").as_string() == "fail");
    o.output = format::junit;
    CHECK(report_of(o, &code).find("<failure message=\"send answered OK and left message 0 UNSENT\">") != std::string::npos);
    o.in_process = true;
    {
        // A case that fails in this process leaves behind what it held, so that it cannot make things worse.
        MQB_LEAKS_ARE_MEANT;
        report_of(o, &code);
    }
    CHECK(code == 1);
    lies = false;
}

TEST_CASE("where the kit was started nothing changes, and no directory of a case is left") {
    const scratch place;
    leaves_files = true;
    for (const bool in_process : {false, true}) {
        files_left = 0;
        options o;
        o.only = "create_free_leaks";
        o.in_process = in_process;
        int code = -1;
        CHECK(report_of(o, &code).find("pass    hole/create_free_leaks") != std::string::npos);
        CHECK(code == 0);
        CHECK(files_left == (in_process ? 210 : 0));  // which a child counts for itself
        CHECK(place.entries("start") == std::vector<std::string>{"meant.txt"});
        CHECK(place.entries("tmp").empty());
        CHECK(std::filesystem::current_path() == place.path / "start");
    }
    leaves_files = false;
}

TEST_CASE("a case that crashes leaves nothing behind either") {
    const scratch place;
    leaves_files = true;
    aborts = true;
    options o;
    o.only = "create_free_leaks";
    int code = -1;
    CHECK(report_of(o, &code).find("crash   hole/create_free_leaks") != std::string::npos);
    CHECK(code == 1);
    CHECK(place.entries("start") == std::vector<std::string>{"meant.txt"});
    CHECK(place.entries("tmp").empty());
    aborts = leaves_files = false;
}

TEST_CASE("paths of the command line and of conformance.json are those of the directory in which the kit was started") {
    const scratch place;
    std::ofstream("kit.json") << R"({"endpoint": "hole", "prepare": {"command": "echo $PWD >>../commands; test -f meant.txt"},
        "publisher": {"there": "meant.txt", "new": "./new.txt", "up": "../up", "topic": "other", "deep": [{"x": "/abs"}]}})";
    options o;
    o.config = "kit.json";
    o.only = "create";
    o.in_process = true;
    int code = -1;
    const std::string text = report_of(o, &code);
    CAPTURE(text);
    CHECK(code == 0);
    const std::string start = (place.path / "start").string();
    const auto seen = boost::json::parse(last_config);
    CHECK(seen.at("there") == boost::json::string(start + "/meant.txt"));
    CHECK(seen.at("new") == boost::json::string(start + "/new.txt"));
    CHECK(seen.at("up") == boost::json::string((place.path / "up").string()));
    CHECK(seen.at("topic") == "other");
    CHECK(seen.at("deep").at(0).at("x") == "/abs");
    std::ifstream commands(place.path / "commands");
    std::string where;
    CHECK(std::getline(commands, where));
    CHECK(where == start);
}

TEST_CASE("a provocation has a control and nothing unknown") {
    const scratch place;
    int code = -1;
    options o;
    o.config = "kit.json";
    for (const char* wrong : {R"({"provoke": {"earthquake": {"control": "shake"}}})", R"({"provoke": {"refusal": {"json": {}}}})",
                              R"({"provoke": {"refusal": {"control": "refuse", "jason": {}}}})"}) {
        std::ofstream("kit.json") << wrong;
        report_of(o, &code);
        CHECK(code == 2);
    }
    std::ofstream("kit.json") << R"({"provoke": {"refusal": {"control": "refuse", "json": {"nth": 2}}}})";
    const auto subjects = subjects_of_file("kit.json");
    CHECK(subjects.at(0).provoke.at("refusal").control == "refuse");
    CHECK(subjects.at(0).provoke.at("refusal").json == R"({"nth":2})");
}

TEST_CASE("an unknown case is refused with exit code 2") {
    int code = -1;
    options o;
    o.only = "no_such_case";
    report_of(o, &code);
    CHECK(code == 2);
}

TEST_CASE("the tables of the README are those of --list") {
    std::ifstream in(MQB_CONFORMANCE_README);
    const std::string readme((std::istreambuf_iterator<char>(in)), {});
    CHECK(readme.find(catalog_as_table()) != std::string::npos);
    CHECK(readme.find(quirks_as_text()) != std::string::npos);
}

TEST_CASE("a smallest configuration has what the schema requires, for the side that has it") {
    const auto schema = boost::json::parse(R"({"type":"object","required":["url"],"properties":{
        "url":{"type":"string"},"size":{"type":"integer","default":4},"only":{"type":"boolean","default":true,"x-mqb-sides":["publisher"]}}})");
    const auto consumer = smallest(schema.as_object(), "consumer"), publisher = smallest(schema.as_object(), "publisher");
    CHECK(consumer.at("size").as_int64() == 4);
    CHECK(consumer.at("url").is_string());
    CHECK_FALSE(consumer.contains("only"));
    CHECK(publisher.contains("only"));
}

TEST_CASE("a default of a wrong type and an unknown required name are faults of a schema") {
    const auto bad = boost::json::parse(R"({"type":"object","required":["b"],"properties":{"a":{"type":"integer","default":"x"}}})");
    CHECK(inspect_schema(bad).faults.size() == 2);
}
