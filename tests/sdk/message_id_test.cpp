#include <mqb/sdk/message_id.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mqb::sdk;

namespace {

std::string text_of(const message_id& id) {
    std::string text(uuid_text_size, '?');
    put_uuid(text.data(), id.data());
    return text;
}
std::string read(std::string_view text) { return text_of(id_from_text(text)); }

}  // namespace

TEST_CASE("a UUID is read in every spelling") {
    const std::string id = "0880955f-d5ab-1be9-5aa0-733055c74bcd";
    CHECK(read(id) == id);
    CHECK(read("0880955F-D5AB-1BE9-5AA0-733055C74BCD") == id);
    CHECK(read("0880955fd5ab1be95aa0733055c74bcd") == id);
    CHECK(read("{0880955f-d5ab-1be9-5aa0-733055c74bcd}") == id);
    CHECK(read("urn:uuid:0880955f-d5ab-1be9-5aa0-733055c74bcd") == id);
    CHECK(read("12345678901234567890123456789012") == "12345678-9012-3456-7890-123456789012");
}

TEST_CASE("of a UUID every character counts, whatever the machine can do") {
    const std::string good = "0880955f-d5ab-1be9-5aa0-733055c74bcd";
    for (std::size_t at = 0; at < good.size(); ++at)
        for (int byte = 0; byte < 256; ++byte) {
            std::string text = good;
            text[at] = static_cast<char>(byte);
            const auto digit = std::string_view("0123456789abcdefABCDEF").find(text[at]);
            const bool is_dash = good[at] == '-', is_digit = digit != std::string_view::npos;
            message_id id, other;
            CAPTURE(text);
            CHECK(get_uuid(text.data(), id.data()) == (is_dash ? byte == '-' : is_digit));
            CHECK(detail::portable::get_uuid(text.data(), other.data()) == (is_dash || is_digit));
            if (is_dash || !is_digit) continue;
            CHECK(id == other);
            text[at] = "0123456789abcdefabcdef"[digit];
            CHECK(text_of(id) == text);
            std::string portable = good;
            detail::portable::put_uuid(portable.data(), id.data());
            CHECK(portable == text);
        }
}

TEST_CASE("hex and decimal numbers are 128 bits") {
    CHECK(read("0xAb") == "00000000-0000-0000-0000-0000000000ab");
    CHECK(read("0XAB") == "00000000-0000-0000-0000-0000000000ab");
    CHECK(read("7") == "00000000-0000-0000-0000-000000000007");
    CHECK(read("+7") == "00000000-0000-0000-0000-000000000007");
    CHECK(read("007") == "00000000-0000-0000-0000-000000000007");
    CHECK(read("340282366920938463463374607431768211455") == "ffffffff-ffff-ffff-ffff-ffffffffffff");
}

TEST_CASE("any other text is folded with FNV-1a of 128 bits") {
    CHECK(read("") == "6c62272e-07bb-0142-62b8-21756295c58d");
    CHECK(read("zz") == "0880955f-d5ab-1be9-5aa0-733055c74bcd");
    CHECK(read("0x") == "088094d1-d7ab-1be9-5aa0-7330557064ed");
    CHECK(read("0xzz") == "6814c1fd-1475-7277-b806-e90bf83c482d");
    CHECK(read(" 7") == "088094aa-18ab-1be9-5aa0-73305557b678");
    CHECK(read("340282366920938463463374607431768211456") == "cb1ccd3b-5f09-4b28-a215-402c4e316a0b");  // one too large
}
