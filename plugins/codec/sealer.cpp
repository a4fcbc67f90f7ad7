#include "codec/sealer.hpp"

#include <algorithm>

#include <sodium.h>

namespace mqb::codec {
namespace {

constexpr std::size_t counter_size = 8;

// Big-endian; after the last number comes the first, which is as far away as can be.
void count_on(std::string& nonce) noexcept {
    for (std::size_t i = nonce.size(); i-- > nonce.size() - counter_size;)
        if (++reinterpret_cast<unsigned char&>(nonce[i]) != 0) return;
}

}  // namespace

// A counter from a random number on: of two sealers whose short prefix is the same, the nonces still meet only if one of them comes to
// where the other began.
sealer::sealer(cipher which, std::string key_id, const secret_key& key)
    : aead_(which, key), key_id_(std::move(key_id)), nonce_(nonce_size(which), '\0') {
    ::randombytes_buf(nonce_.data(), nonce_.size());
}

void sealer::seal(std::span<char> room, std::optional<std::string_view> bound) {
    char* at = room.data();
    *at++ = static_cast<char>(bound ? bound_version : plain_version);
    *at++ = static_cast<char>(aead_.which());
    *at++ = static_cast<char>(key_id_.size());
    at = std::copy(key_id_.begin(), key_id_.end(), at);
    count_on(nonce_);
    at = std::copy(nonce_.begin(), nonce_.end(), at);
    std::string associated;
    if (bound) associated.append(room.data(), head_size()).append(*bound);
    const std::size_t size = room.size() - overhead();
    aead_.seal(nonce_, associated, {at, size}, at + size);
}

}  // namespace mqb::codec
