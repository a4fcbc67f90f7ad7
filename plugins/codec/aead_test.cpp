#include "codec/aead.hpp"

#include <algorithm>

#include "codec/test_bytes.hpp"

using namespace mqb::codec;
using namespace mqb::codec::testing;

namespace {

struct vector {
    cipher which;
    std::string key, nonce, associated, text, sealed, tag;
};

// draft-irtf-cfrg-xchacha-03, A.3.1; test case 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega), as NIST publishes it.
const vector published[] = {
    {cipher::xchacha20poly1305, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     "404142434445464748494a4b4c4d4e4f5051525354555657", "50515253c0c1c2c3c4c5c6c7",
     to_hex("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."),
     "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
     "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e",
     "c0875924c1c7987947deafd8780acf49"},
    {cipher::aes256gcm, "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
     "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    // Test case 13: nothing at all is sealed.
    {cipher::aes256gcm, std::string(64, '0'), std::string(24, '0'), "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
};

secret_key key_of(std::string_view hex) {
    secret_key key;
    const std::string bytes = from_hex(hex);
    std::copy(bytes.begin(), bytes.end(), key.data());
    return key;
}

}  // namespace

TEST_CASE("both ciphers answer their published vectors, the same aead again and again") {
    for (const vector& v : published) {
        aead with(v.which, key_of(v.key));
        for (int round = 0; round < 3; ++round) {
            std::string text = from_hex(v.text), tag(tag_size, '\0');
            with.seal(from_hex(v.nonce), from_hex(v.associated), text, tag.data());
            CHECK(to_hex(text) == v.sealed);
            CHECK(to_hex(tag) == v.tag);
            std::string opened(text.size(), '\0');
            CHECK(with.open(from_hex(v.nonce), from_hex(v.associated), text, tag.data(), opened.data()));
            CHECK(to_hex(opened) == v.text);
        }
    }
}

TEST_CASE("another key, nonce, associated text or tag opens nothing") {
    for (const vector& v : published) {
        const std::string sealed = from_hex(v.sealed), tag = from_hex(v.tag);
        const auto opens = [&](const secret_key& key, std::string_view nonce, std::string_view associated, std::string_view with) {
            std::string to(sealed.size(), '\0');
            return aead(v.which, key).open(nonce, associated, sealed, with.data(), to.data());
        };
        const secret_key key = key_of(v.key);
        const std::string nonce = from_hex(v.nonce), associated = from_hex(v.associated);
        CHECK(opens(key, nonce, associated, tag));
        secret_key other = key;
        other.data()[31] ^= 1;
        CHECK_FALSE(opens(other, nonce, associated, tag));
        CHECK_FALSE(opens(key, std::string(nonce.size(), 'n'), associated, tag));
        CHECK_FALSE(opens(key, nonce, associated + "x", tag));
        CHECK_FALSE(opens(key, nonce, associated, std::string(tag_size, 't')));
    }
}
