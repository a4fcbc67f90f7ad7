#include "base64.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::file;

namespace {

std::string encoded(std::string_view bytes) {
    std::string to(base64_size(bytes.size()), '?');
    put_base64(to.data(), bytes);
    return to;
}
std::optional<std::string> decoded(std::string_view text) {
    std::string to(text.size(), '?');
    const auto size = read_base64(to.data(), text);
    if (!size) return std::nullopt;
    return to.substr(0, *size);
}

}  // namespace

TEST_CASE("the test vectors of RFC 4648 hold both ways") {
    const std::pair<const char*, const char*> vectors[] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        CHECK(encoded(bytes) == text);
        CHECK(decoded(text) == std::string(bytes));
    }
    CHECK(encoded("\xff\x00\xfe") == "/w==");  // the literal ends at its zero
    CHECK(decoded("/wA=") == std::string("\xff\0", 2));
}

TEST_CASE("what is not base64 is refused") {
    for (const char* bad : {"/wA", "Zg=", "Z===", "Zm9v====", "Zm 9", "Zm-_", "Zh==", "=Zm9"}) {
        CAPTURE(bad);
        CHECK(!decoded(bad));
    }
}
