#include "codec/envelope.hpp"

#include <algorithm>
#include <set>

#include "codec/broken.hpp"
#include "codec/opener.hpp"
#include "codec/sealer.hpp"
#include "codec/test_bytes.hpp"

using namespace mqb::codec;
using namespace mqb::codec::testing;

namespace {

constexpr cipher both[] = {cipher::xchacha20poly1305, cipher::aes256gcm};

secret_key key_of(unsigned char byte) {
    secret_key key;
    std::fill_n(key.data(), key_size, byte);
    return key;
}

std::string sealed(sealer& with, std::string_view text, std::optional<std::string_view> bound = {}) {
    std::string room(with.overhead() + text.size(), '\0');
    std::copy(text.begin(), text.end(), room.begin() + static_cast<std::ptrdiff_t>(with.head_size()));
    with.seal(room, bound);
    return room;
}

std::string opened(opener& with, std::string_view bytes, std::optional<std::string_view> bound = {}) {
    std::string text(bytes.size(), '\0');
    text.resize(with.open(bytes, text.data(), bound));
    return text;
}

std::string refused(opener& with, std::string_view bytes, std::optional<std::string_view> bound = {}) {
    try {
        return "opened: " + opened(with, bytes, bound);
    } catch (const broken& e) { return e.what(); }
}

}  // namespace

TEST_CASE("what is sealed opens with the key that it names, and says which cipher it is of") {
    for (const cipher which : both) {
        sealer seals(which, "k1", key_of(7));
        opener opens;
        opens.add("k0", key_of(1));
        opens.add("k1", key_of(7));
        opens.add("k1", key_of(9));
        for (const std::size_t size : {0, 1, 15, 16, 17, 1000, 300000}) {
            const std::string text = words(size, 1), bytes = sealed(seals, text);
            CHECK(bytes.size() == text.size() + seals.overhead());
            CHECK(bytes.substr(0, 5) == std::string{1, static_cast<char>(which), 2, 'k', '1'});
            CHECK(looks_sealed(bytes.substr(0, telling_size), bytes.size()));
            CHECK(opened(opens, bytes) == text);
            CHECK((size < 15 || bytes.find(text) == std::string::npos));
        }
    }
}

TEST_CASE("a byte that was changed, wherever it is, and a cut one open nothing") {
    for (const cipher which : both) {
        for (const bool bound : {false, true}) {
            const std::optional<std::string_view> extra = bound ? std::optional<std::string_view>("tenant=acme") : std::nullopt;
            sealer seals(which, "k1", key_of(7));
            opener opens;
            opens.add("k1", key_of(7));
            const std::string good = sealed(seals, "the text", extra);
            CHECK(opened(opens, good, extra) == "the text");
            for (std::size_t at = 0; at < good.size(); ++at) {
                std::string bad = good;
                for (int bit = 0; bit < 8; ++bit) {
                    bad[at] = static_cast<char>(good[at] ^ (1 << bit));
                    CHECK_THROWS_AS(opened(opens, bad, extra), broken);
                }
                CHECK_THROWS_AS(opened(opens, good.substr(0, at), extra), broken);
            }
            CHECK_THROWS_AS(opened(opens, good + '\0', extra), broken);
        }
    }
}

TEST_CASE("what is wrong is said, and no key with it") {
    sealer seals(cipher::aes256gcm, "k1", key_of(7));
    const std::string bytes = sealed(seals, "text");
    opener none, other;
    CHECK(refused(none, bytes) == "there is no key \"k1\"");
    other.add("k1", key_of(8));
    CHECK(refused(other, bytes) == "the envelope does not open: it is damaged or forged, or the key \"k1\" is another one");
    CHECK(refused(none, "") == "the envelope is cut short");
    CHECK(refused(none, bytes.substr(0, 20)) == "the envelope is cut short");
    CHECK(refused(none, "\x03" + bytes.substr(1)) == "the envelope has the unknown version 3");
    CHECK(refused(none, "\x01\x02" + bytes.substr(2)) == "the envelope has the unknown cipher 2");
    std::string odd = bytes;
    odd[3] = '\n';
    odd[4] = '\xff';
    CHECK(refused(none, odd) == "there is no key \"??\"");
}

TEST_CASE("metadata that are bound have to be the same, and there") {
    for (const cipher which : both) {
        sealer seals(which, "default", key_of(7));
        opener opens;
        opens.add("default", key_of(7));
        const std::string bytes = sealed(seals, "text", "a=1");
        CHECK(bytes[0] == 2);
        CHECK(opened(opens, bytes, "a=1") == "text");
        CHECK_THROWS_AS(opened(opens, bytes, "a=2"), broken);
        CHECK_THROWS_AS(opened(opens, bytes, ""), broken);
        CHECK(refused(opens, bytes) == "the envelope has metadata bound to it, which are not here");
        std::string as_plain = bytes;
        as_plain[0] = 1;
        CHECK_THROWS_AS(opened(opens, as_plain, "a=1"), broken);
        CHECK_THROWS_AS(opened(opens, as_plain), broken);
        CHECK_THROWS_AS(opened(opens, sealed(seals, "text"), "a=1"), broken);
    }
}

TEST_CASE("no nonce comes twice, neither of one sealer nor of two with the same key") {
    for (const cipher which : both) {
        std::set<std::string> nonces;
        constexpr int sealers = 20, each = 1000;
        for (int s = 0; s < sealers; ++s) {
            sealer seals(which, "k", key_of(7));
            for (int i = 0; i < each; ++i) nonces.insert(std::string(parse_envelope(sealed(seals, "")).nonce));
        }
        CHECK(nonces.size() == sealers * each);
    }
}

TEST_CASE("texts do not look sealed") {
    CHECK(looks_sealed("", 0));
    CHECK(looks_sealed("\x01", 100));
    CHECK_FALSE(looks_sealed("{", 100));
    CHECK_FALSE(looks_sealed(std::string("\x01\x02\x01k", 4), 100));
    CHECK_FALSE(looks_sealed(std::string("\x01\x00\x00k", 4), 100));
    CHECK_FALSE(looks_sealed(std::string("\x01\x00\x01\x00", 4), 100));
    CHECK(looks_sealed(std::string("\x01\x00\x01k", 4), 44));
    CHECK_FALSE(looks_sealed(std::string("\x01\x00\x01k", 4), 43));
}
