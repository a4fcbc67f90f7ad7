#include "core/middlewares/id.hpp"

#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace mqb::core;
using expressions::block_of;
using expressions::bytes_of;
using expressions::metadata_list;

namespace {

struct id_stage_of {
    explicit id_stage_of(std::string_view config) : stage(std::move(*id_factory{}.make(config, consumer_side))) {}
    // What mqb.id is afterwards; none: it has none.
    std::optional<std::string> operator()(std::string_view payload, const metadata_list& metadata = {}) {
        made.clear();
        why.clear();
        const counted_block block = block_of(metadata);
        message m;
        m.payload = bytes_of(payload);
        if (!metadata.empty()) m.metadata = block.get();
        result = stage->apply(m, made, why);
        for (const auto& [key, value] : metadata)
            if (key != "mqb.id") CHECK(text_of(m.metadata, key) == value);
        CHECK(m.payload.text() == payload);
        if (!has_key(m.metadata, "mqb.id")) return std::nullopt;
        return std::string{text_of(m.metadata, "mqb.id")};
    }
    std::unique_ptr<message_stage> stage;
    std::vector<counted_block> made;
    std::string why;
    staged result = staged::passes;
};

failure mistake_of(std::string_view config) {
    const auto promised = id_factory{}.promise(config, consumer_side, {});
    REQUIRE_FALSE(promised.has_value());
    return promised.error();
}

}  // namespace

TEST_CASE("a message of which every token has a value has it as mqb.id") {
    id_stage_of by{R"("${payload:country}-${payload:name}")"};
    CHECK(by(R"({"country":"DE","name":"Ada"})", {{"a", "b"}}) == "DE-Ada");
    CHECK(by.result == staged::changed);
    CHECK(by.why.empty());
    CHECK(by(R"({"country":"DE","name":""})") == "DE-");
    CHECK(by(R"({"country":"DE","name":7.0})", {{"mqb.id", "old"}, {"z", "y"}}) == "DE-7.0");
    id_stage_of key{R"({"template": "${metadata:key}"})"};
    CHECK(key("no JSON", {{"key", "k1"}}) == "k1");
}

TEST_CASE("a message of which a token has none has no mqb.id, and that is told once") {
    id_stage_of by{R"("${payload:country}-${payload:name}")"};
    CHECK(by(R"({"country":"DE"})", {{"a", "b"}}) == std::nullopt);
    CHECK(by.result == staged::passes);
    CHECK(by.why == "a message gets no mqb.id: ${payload:name} has no value; others will not be told");
    CHECK(by("text") == std::nullopt);
    CHECK(by.why.empty());
    CHECK(by(R"({"country":"DE","name":"Ada"})") == "DE-Ada");
    // Not that of before: it was made of something else.
    CHECK(by(R"({"country":"DE","name":null})", {{"a", "b"}, {"mqb.id", "old"}, {"c", "d"}}) == std::nullopt);
    CHECK(by.result == staged::changed);
    CHECK(by("{}", {{"mqb.id", "old"}}) == std::nullopt);
    CHECK(by.result == staged::changed);
}

TEST_CASE("an identity that many messages would share is none") {
    id_stage_of empty{R"("${payload:a}")"};
    CHECK(empty(R"({"a":""})") == std::nullopt);
    CHECK(empty.why == "a message gets no mqb.id: it would be empty; others will not be told");
    id_stage_of lossy{R"("${message:payload}")"};
    CHECK(lossy("\xff") == std::nullopt);
    CHECK(lossy("\xc3\xa4") == "\xc3\xa4");
    id_stage_of base64{R"("${message:payload | base64}")"};
    CHECK(base64("\xff") == "/w==");
}

TEST_CASE("an identity for which the metadata has no room is none") {
    id_stage_of by{R"("${message:payload}")"};
    const std::string large(17u << 20, 'x');
    CHECK(by(large, {{"a", "b"}, {"mqb.id", "old"}}) == std::nullopt);
    CHECK(by.why == "a message gets no mqb.id: its metadata has no room for it; others will not be told");
}

TEST_CASE("a template without a token, or with a mistake, is one of the configuration") {
    for (const char* text : {R"("x")", R"("")", R"("$${payload:a}")", R"({"template": "${other:x}"})"})
        CHECK(mistake_of(text).text == "is the same for all messages: it wants a token such as ${payload:order.id}");
    const failure why = mistake_of(R"("a ${payload:b|c}")");
    CHECK(why.what == status::bad_config);
    CHECK(why.text == "unknown filter: known are raw and base64");
    CHECK(why.excerpt == "  a ${payload:b|c}\n                ^");
    CHECK(mistake_of("{}").text == "has no template");
    CHECK(id_factory{}.sides() == consumer_side);
}
