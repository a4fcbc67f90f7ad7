// Templates of a plugin's configuration: numbers in what it gets, and render.
#include "factory_fixture.hpp"

#include "core/middlewares/metadata_edit.hpp"
#include "host/loading/services.hpp"

#include <cstring>
#include <string>
#include <vector>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

constexpr std::string_view schema = R"({"type":"object","properties":{"key":{"type":"string","x-mqb-template":true},
    "path":{"type":"string","x-mqb-template":"path"},"list":{"items":{"x-mqb-template":true}},"not":{"x-mqb-template":false},
    "map":{"additionalProperties":{"x-mqb-template":true}},"in":{"properties":{"a/b":{"x-mqb-template":true}}}}})";

core::message with_payload(std::string_view text) {
    core::message m;
    m.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
    return m;
}

std::string rendered(const loading::prepared_config& by, std::uint32_t number, const core::message& m, std::size_t room = 100) {
    std::string out(room, '.');
    std::size_t size = room;
    const status answer = by.render(number, m, out, size);
    if (answer == status::retry) return "retry " + std::to_string(size);
    return answer == status::ok ? out.substr(0, size) : std::string{core::to_text(answer)};
}

}  // namespace

TEST_CASE("each template is a number in the order of the configuration, and everything else stays as it is") {
    const auto made = loading::prepare_templates(
        schema,
        R"({"n": 1.50e400, "key":"<${payload:a}>","list":["x","${message:payload}"], "not":"${payload:a}","map":{"k":"${payload:b}"},)"
        R"("in":{"a\/b":"${payload:a}"},"path":"o/${payload:a}.x"})");
    REQUIRE(made.has_value());
    CHECK(made->json == R"({"n": 1.50e400, "key":0,"list":[1,2], "not":"${payload:a}","map":{"k":3},"in":{"a\/b":4},"path":5})");
    const core::message m = with_payload(R"({"a":"A","b":7.0})");
    CHECK(rendered(*made, 0, m) == "<A>");
    CHECK(rendered(*made, 1, m) == "x");
    CHECK(rendered(*made, 2, m) == R"({"a":"A","b":7.0})");
    CHECK(rendered(*made, 3, m) == "7.0");
    CHECK(rendered(*made, 4, m) == "A");
    CHECK(rendered(*made, 5, m) == "o/A.x");
    CHECK(rendered(*made, 6, m) == "rejected");
    CHECK(rendered(*made, 3, with_payload("{}")) == "rejected");
    CHECK(rendered(*made, 0, core::message{}) == "rejected");
    CHECK(rendered(*made, 5, with_payload(R"({"a":"../A"})")) == "rejected");
    CHECK(rendered(*made, 2, m, 17) == R"({"a":"A","b":7.0})");
    CHECK(rendered(*made, 2, m, 16) == "retry 17");
    CHECK(rendered(*made, 1, m, 0) == "retry 1");
}

TEST_CASE("a path without tokens stays a text") {
    const auto made = loading::prepare_templates(schema, R"({"path":"a\u0022$${x} ${other:y}"})");
    CHECK(made->json == R"({"path":"a\"${x} ${other:y}"})");
    CHECK_FALSE(made->render);
    CHECK(loading::prepare_templates(R"({"type":"object"})", "no JSON")->json == "no JSON");
    CHECK(loading::prepare_templates(R"({"x-mqb-template":true})", R"("${gen:counter}")")->json == "0");
}

TEST_CASE("the mistake of a template is one of the configuration") {
    const auto why = loading::prepare_templates(schema, R"({"key":"a ${message:x}"})");
    CHECK((why.error().what == status::bad_config));
    CHECK(why.error().text == "unknown selector: ${message:…} knows id and payload");
    CHECK(why.error().excerpt == "  a ${message:x}\n              ^");
    CHECK(loading::prepare_templates(schema, "{").error().text == "its configuration is no JSON");
    CHECK(loading::prepare_templates("{x-mqb-template", "{}").error().text == "its schema is no JSON");
}

TEST_CASE_FIXTURE(factory_fixture, "an instance renders the templates of its configuration, which it gets as numbers") {
    made_by.factory.schema = text(R"({"type":"object","properties":{"key":{"type":"string","x-mqb-template":true}}})");
    mqb_host* host = nullptr;
    test_factory::create = [&](mqb_create* c) {
        CHECK(str(c->config) == R"({"key":0})");
        host = c->host;
        c->made = &consumer;
        return MQB_OK;
    };
    auto made =
        run(loading::plugin_endpoint_factory{made_by.offered(), services}.make_consumer(side.context(), R"({"key":"k=${metadata:k}"})"));
    REQUIRE(made.has_value());
    const core::text_edit edit[] = {{"k", "v"}};
    const core::counted_block block = core::edited({}, edit);
    mqb_message m{};
    m.metadata = {block.get().data, block.get().size, nullptr};
    char room[8];
    std::size_t size = sizeof room;
    CHECK(host->table->render(host, 0, &m, room, &size) == MQB_OK);
    CHECK(std::string_view(room, size) == "k=v");
    CHECK(host->table->render(host, 1, &m, room, &size) == MQB_REJECTED);
    m.metadata = {};
    size = sizeof room;
    CHECK(host->table->render(host, 0, &m, room, &size) == MQB_REJECTED);
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(factory_fixture, "promises are asked with numbers too, and a mistake is told without the plugin") {
    made_by.factory.schema = text(R"({"type":"object","properties":{"key":{"type":"string","x-mqb-template":true}}})");
    int asked = 0;
    test_factory::promises = [&](mqb_promise* p) {
        ++asked;
        CHECK(str(p->config) == R"({"key":0})");
        p->promises->flags = MQB_ORDERED;
        return MQB_OK;
    };
    const loading::plugin_endpoint_factory factory{made_by.offered(), services};
    CHECK(factory.promise(R"({"key":"${metadata:k}"})", core::publisher_side)->flags == core::promises::ordered);
    const auto why = factory.promise(R"({"key":"${metadata:}"})", core::publisher_side);
    CHECK(why.error().text == "${metadata:…} wants a key");
    CHECK(asked == 1);
}
