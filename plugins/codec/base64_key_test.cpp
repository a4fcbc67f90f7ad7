#include "codec/base64_key.hpp"

#include <string>

#include "codec/test_bytes.hpp"

using namespace mqb::codec;
using namespace mqb::codec::testing;

TEST_CASE("a key is base64 of exactly 32 bytes") {
    const std::string text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    for (const std::string& written : {text, " " + text + "\n", text + "\r\n"}) {
        const auto key = key_from_base64(written);
        REQUIRE(key);
        for (unsigned i = 0; i < key_size; ++i) CHECK(key->data()[i] == i);
    }
    const std::string others[] = {"",
                                  " \n",
                                  "AAEC",
                                  text.substr(0, 43),
                                  text + "=",
                                  text + "A",
                                  "AAAA" + text,
                                  text.substr(0, 20) + "\n" + text.substr(20),
                                  "*" + text.substr(1),
                                  "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh-=",
                                  std::string(44, '\0')};
    for (const std::string& wrong : others) CHECK_FALSE(key_from_base64(wrong));
}

TEST_CASE("a wiped text is empty and its bytes are gone") {
    std::string text(100, 's');
    const char* const was = text.data();
    wipe(text);
    CHECK(text.empty());
    CHECK(std::string_view(was, 100).find('s') == std::string_view::npos);
}
