// Opener: gets texts out of envelopes, with whichever of its keys each names.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "codec/envelope.hpp"

namespace mqb::codec {

// One thread at a time.
class opener {
public:
    // The first key under a name stays.
    void add(const std::string& key_id, const secret_key& key);

    // Puts the text to `to`, which has room for as much as the envelope has bytes, and answers its size. Throws broken, and then
    // nothing at `to` may be used. `bound`: what was bound to the envelope; one of version 2 has something bound to it.
    std::size_t open(std::string_view bytes, char* to, std::optional<std::string_view> bound = {});

private:
    struct known {
        secret_key key;
        std::optional<aead> aes, xchacha;
    };
    std::map<std::string, known, std::less<>> keys_;
};

}  // namespace mqb::codec
