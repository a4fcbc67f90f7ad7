#include "host/state/letter_json.hpp"

#include "host/state/metadata_entry.hpp"
#include "host/state/utf8.hpp"

#include <doctest/doctest.h>

using namespace mqb::state;

namespace {

std::string put(unsigned type, std::string_view key, std::string_view value) {
    std::string out{static_cast<char>(type), '\0', static_cast<char>(key.size()), '\0', static_cast<char>(value.size()), '\0', '\0', '\0'};
    return out.append(key).append(value);
}

std::string number(std::uint64_t value, int bytes = 8) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
}

std::string same(std::string_view text) { return std::string{text}; }

std::string metadata_of(const std::string& block) {
    letter_content content;
    content.metadata = block;
    const std::string all = to_json(letter{}, content, same);
    const std::string key = "\"metadata\":";
    return all.substr(all.find(key) + key.size(), all.size() - all.find(key) - key.size() - 1);
}

}  // namespace

TEST_CASE("a letter has exactly the keys that scripts know") {
    letter l;
    l.id = 7;
    l.route = "orders";
    l.endpoint = "output";
    l.why = mqb::core::death::max_deliveries;
    l.error = "a \"quoted\" secret";
    l.attempts = 3;
    l.first_at = 1'700'000'000'000'000'000;
    l.last_at = 1'700'000'000'250'000'000;
    l.source = R"({"message_id":"00","lane":3,"mqb.src.path":"/secret"})";
    l.size = 4;
    const auto clean = [](std::string_view text) {
        std::string out{text};
        for (std::size_t at; (at = out.find("secret")) != std::string::npos;) out.replace(at, 6, "***");
        return out;
    };
    const std::string head =
        R"("id":7,"route":"orders","endpoint":"output","class":"max_deliveries","error":"a \"quoted\" ***","attempts":3,)"
        R"("first_at":"2023-11-14T22:13:20Z","last_at":"2023-11-14T22:13:20.25Z",)"
        R"("source":{"message_id":"00","lane":3,"mqb.src.path":"/***"},"size":4)";
    CHECK(to_json(l, clean) == '{' + head + '}');
    letter_content content;
    CHECK(to_json(l, content, clean) == '{' + head + R"(,"may_have_arrived":false,"payload_base64":null,"metadata":[]})");
    content.payload = "";
    CHECK(to_json(l, content, clean) == '{' + head + R"(,"may_have_arrived":false,"payload_base64":"","metadata":[]})");
    content.payload = "the secret stays";
    CHECK(to_json(l, content, clean).find(base64("the secret stays")) != std::string::npos);
}

TEST_CASE("metadata keeps order, repeats and types") {
    CHECK(metadata_of(put(2, "k", "1") + put(2, "k", "2")) ==
          R"([{"key":"k","type":"text","value":"1"},{"key":"k","type":"text","value":"2"}])");
    CHECK(metadata_of(put(0, "k", "")) == R"([{"key":"k","type":"null","value":null}])");
    CHECK(metadata_of(put(1, "k", "\xff")) == R"([{"key":"k","type":"bytes","value":"/w=="}])");
    CHECK(metadata_of(put(3, "k", "\x01")) == R"([{"key":"k","type":"bool","value":true}])");
    CHECK(metadata_of(put(4, "k", number(std::uint64_t{1} << 63))) == R"([{"key":"k","type":"int64","value":-9223372036854775808}])");
    CHECK(metadata_of(put(5, "k", number(0x3fe0000000000000))) == R"([{"key":"k","type":"double","value":5E-1}])");
    CHECK(metadata_of(put(5, "k", number(0x7ff8000000000000))) == R"([{"key":"k","type":"double","value":"nan"}])");
    CHECK(metadata_of(put(5, "k", number(0xfff0000000000000))) == R"([{"key":"k","type":"double","value":"-inf"}])");
    CHECK(metadata_of(put(6, "k", number(0) + number(1'000, 4))) == R"([{"key":"k","type":"time","value":"1970-01-01T00:00:00.000001Z"}])");
    CHECK(metadata_of(put(7, "k", "{\"a\":1}")) == R"([{"key":"k","type":"json","value":"{\"a\":1}"}])");
    CHECK(metadata_of(put(200, "k", "x")) == R"([{"key":"k","type":"200","value":"eA=="}])");
}

TEST_CASE("what is not valid is shown as it is, in base64") {
    CHECK(metadata_of(put(4, "k", "xyz")) == R"([{"key":"k","type":"int64","value":"eHl6"}])");
    CHECK(metadata_of(put(2, "k", "\xff")) == R"([{"key":"k","type":"text","value":"/w=="}])");
    CHECK(metadata_of(put(2, "k", "v") + "cut") == R"([{"key":"k","type":"text","value":"v"},{"key":"","type":"invalid","value":"Y3V0"}])");
    std::string long_value = put(2, "k", "v");
    long_value[4] = 2;
    CHECK(metadata_of(long_value).starts_with(R"([{"key":"","type":"invalid")"));
    std::string no_key = put(2, "k", "v");
    no_key[2] = 0;
    CHECK(metadata_of(no_key).starts_with(R"([{"key":"","type":"invalid")"));
}

TEST_CASE("times have as many decimals as they need, before 1970 too") {
    CHECK(rfc3339(0, 0) == "1970-01-01T00:00:00Z");
    CHECK(rfc3339(-1, 500'000'000) == "1969-12-31T23:59:59.5Z");
    CHECK(rfc3339(1'709'164'800, 1) == "2024-02-29T00:00:00.000000001Z");
    CHECK(rfc3339(253'402'300'799, 0) == "9999-12-31T23:59:59Z");
    CHECK(rfc3339(253'402'300'800, 0) == "253402300800 s since 1970");
    CHECK(rfc3339(INT64_MIN, 0) == "-9223372036854775808 s since 1970");
}

TEST_CASE("base64 pads") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("texts are made UTF-8, without zeros, and cut between characters") {
    CHECK(storable_text("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 100) == "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    for (const char* bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xf8\x88\x80\x80\x80"}) {
        CHECK_FALSE(is_utf8(bad));
        CHECK(is_utf8(storable_text(bad, 100)));
    }
    CHECK(storable_text(std::string_view{"a\0b", 3}, 100) ==
          "a\xef\xbf\xbd"
          "b");
    CHECK(storable_text("a\xc3\xa9", 2) == "a [cut]");
    CHECK(storable_text("a\xc3\xa9", 3) == "a\xc3\xa9");
}
