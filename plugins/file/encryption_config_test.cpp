#include "encryption_config.hpp"

#include <mqb/plugin.h>
#include <mqb/sdk/option_parse.hpp>
#include <mqb/sdk/option_schema.hpp>

#include "config.hpp"
#include "packed_test.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;

namespace {

std::string refused(const std::string& block, std::uint32_t side = MQB_SIDE_CONSUMER, const std::string& more = "") {
    try {
        mqb::sdk::parse_config<config>(R"({"path":"a","encryption":)" + block + more + "}", side);
        return "";
    } catch (const mqb::sdk::failure& e) {
        CHECK(e.answer == mqb::sdk::status::bad_config);
        return e.what();
    }
}

}  // namespace

TEST_CASE("the block needs a key and has defaults for the rest") {
    const config c =
        mqb::sdk::parse_config<config>(std::string(R"({"path":"a","encryption":{"key":")") + key_a + "\"}}", MQB_SIDE_CONSUMER);
    REQUIRE(c.encryption);
    CHECK(c.encryption->key_id == "default");
    CHECK(c.encryption->cipher == mqb::codec::cipher::xchacha20poly1305);
    CHECK(c.packed().sealed);
    CHECK_FALSE(mqb::sdk::parse_config<config>(R"({"path":"a"})", MQB_SIDE_CONSUMER).encryption);
    CHECK(refused("{}") == "encryption/key: required");
}

TEST_CASE("what is wrong with a key is said without the key") {
    const std::string good = key_a, short_key = "c2VjcmV0IHNlY3JldCBzZWNyZXQ=";
    CHECK(refused(R"({"key":")" + short_key + "\"}") == "encryption.key: base64 of exactly 32 bytes was expected");
    CHECK(refused(R"({"key":""})") == "encryption.key: base64 of exactly 32 bytes was expected");
    CHECK(refused(R"({"key":")" + good + R"(","decrypt_keys":{"old":")" + short_key + "\"}}") ==
          "encryption.decrypt_keys: base64 of exactly 32 bytes was expected");
    CHECK(refused(R"({"key":")" + good + R"(","key_id":""})") == "encryption/key_id: too short");
    CHECK(refused(R"({"key":")" + good + R"(","key_id":")" + std::string(256, 'k') + "\"}") ==
          "encryption.key_id: a name of 1 to 255 bytes was expected");
    CHECK(refused(R"({"key":")" + good + R"(","key_id":"\u0001"})") == "encryption.key_id: a name begins with no control character");
    CHECK(refused(R"({"key":")" + good + R"(","cipher":"aes128gcm"})") == "encryption/cipher: \"aes128gcm\" is not one of its values");
    CHECK(refused(R"({"key":")" + good + R"(","on_error":"drop"})") == "encryption/on_error: unknown key");
    CHECK(refused(R"({"key":")" + good + R"(","authenticate_metadata":["a"]})") == "encryption/authenticate_metadata: unknown key");
}

TEST_CASE("a packed input is read from its beginning only") {
    const std::string block = R"({"key":")" + std::string(key_a) + "\"}";
    const std::string only = ": such an input is read with `mode: consume` and without `delete` only";
    CHECK(refused(block, MQB_SIDE_CONSUMER, R"(,"mode":"group_subscribe","group_id":"g")") == "encryption" + only);
    CHECK(refused("null", MQB_SIDE_CONSUMER, R"(,"mode":"group_subscribe","group_id":"g","compression":"gzip")") == "compression" + only);
    CHECK(refused("null", MQB_SIDE_CONSUMER, R"(,"mode":"group_subscribe","group_id":"g","compression":"auto")") == "");
    CHECK(refused(block, MQB_SIDE_PUBLISHER) == "");
}

TEST_CASE("the keys are marked as secret, and wiped with the configuration") {
    constexpr std::string_view schema = mqb::sdk::schema_of<config>();
    const auto is_secret = [&](std::string_view name) {
        const std::size_t at = schema.find('"' + std::string(name) + "\":{");
        REQUIRE(at != std::string_view::npos);
        const std::size_t mark = schema.find("\"x-mqb-secret\":true", at),
                          next = schema.find("\"description\"", schema.find("\"description\"", at) + 1);
        return mark < next;
    };
    CHECK(is_secret("key"));
    CHECK(is_secret("decrypt_keys"));
    CHECK_FALSE(is_secret("key_id"));
    CHECK_FALSE(is_secret("cipher"));
}
