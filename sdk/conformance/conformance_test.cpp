// The kit on a plugin that is linked in, its reports, and its README.
#include <mqb/conformance/run.hpp>

#include "catalog.hpp"
#include "schema.hpp"

#include <boost/json/parse.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#if defined(__SANITIZE_ADDRESS__)
// A case that fails leaves behind what it held, so that it cannot make things worse. In a process of its own nobody minds; here some
// run in this one.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
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
mqb_status make(mqb_create* c) {
    c->made = new mqb_publisher{&table};
    return MQB_OK;
}
const mqb_factory endpoint = {
    sizeof(mqb_factory), MQB_ENDPOINT, MQB_SIDE_PUBLISHER, 0, {"hole", 4}, {"{\"type\":\"object\"}", 17}, nullptr, make};
const mqb_factory* const factories[] = {&endpoint};
const mqb_plugin plugin = {sizeof(mqb_plugin), MQB_ABI_DRAFT, {"hole", 4}, {"1", 1}, {"MIT", 3}, factories, 1, 0, nullptr};

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
    report_of(o, &code);
    CHECK(code == 1);
    lies = false;
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
