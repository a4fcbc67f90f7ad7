// Sealer: puts texts into envelopes with one key. No two of its envelopes, nor of two sealers, have the same nonce: it is a prefix and
// a counter behind it, both random at first.
#pragma once

#include <optional>
#include <string>

#include "codec/envelope.hpp"

namespace mqb::codec {

// One thread at a time.
class sealer {
public:
    // `key_id`: 1 to longest_key_id bytes.
    sealer(cipher which, std::string key_id, const secret_key& key);

    // An envelope is so much larger than its text, and so much of that stands in front of it.
    std::size_t overhead() const noexcept { return head_size() + tag_size; }
    std::size_t head_size() const noexcept { return 3 + key_id_.size() + nonce_size(aead_.which()); }

    // Makes `room` an envelope in place: the text stands in there already, between head_size() bytes before it and tag_size behind.
    // `bound`: what must be the same when it is opened.
    void seal(std::span<char> room, std::optional<std::string_view> bound = {});

private:
    aead aead_;
    std::string key_id_;
    std::string nonce_;  // prefix and counter
};

}  // namespace mqb::codec
