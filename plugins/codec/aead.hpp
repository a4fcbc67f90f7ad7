// AEAD: authenticated encryption with one key: XChaCha20-Poly1305 (libsodium) or AES-256-GCM (OpenSSL, with or without AES
// instructions of the processor).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "codec/secret_key.hpp"

namespace mqb::codec {

enum class cipher : std::uint8_t { xchacha20poly1305 = 0, aes256gcm = 1 };

inline constexpr std::size_t tag_size = 16;
inline constexpr std::size_t longest_nonce = 24;
constexpr std::size_t nonce_size(cipher which) noexcept { return which == cipher::aes256gcm ? 12 : longest_nonce; }

// What belongs to a key is made once. One thread at a time.
class aead {
public:
    aead(cipher which, const secret_key& key);
    aead(aead&&) noexcept;
    aead& operator=(aead&&) noexcept;
    ~aead();

    cipher which() const noexcept { return which_; }
    // In place. `nonce` is used once only, `tag` gets tag_size bytes.
    void seal(std::string_view nonce, std::string_view associated, std::span<char> text, char* tag);
    // `to` has room for as much as is sealed, and may not be used unless this is true.
    bool open(std::string_view nonce, std::string_view associated, std::string_view sealed, const char* tag, char* to);

private:
    struct aes;
    cipher which_;
    secret_key key_;
    std::unique_ptr<aes> aes_;
};

}  // namespace mqb::codec
