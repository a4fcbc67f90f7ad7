#include "codec/aead.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <openssl/evp.h>
#include <sodium.h>

namespace mqb::codec {
namespace {

constexpr std::size_t most_at_once = 1 << 30;  // OpenSSL counts in int

const unsigned char* bytes_of(std::string_view text) noexcept { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(char* text) noexcept { return reinterpret_cast<unsigned char*>(text); }

void start_sodium() {
    if (::sodium_init() < 0) throw std::runtime_error("libsodium cannot be used on this machine: it finds no source of randomness");
}

}  // namespace

struct aead::aes {
    struct free_context {
        void operator()(EVP_CIPHER_CTX* made) const noexcept { ::EVP_CIPHER_CTX_free(made); }
    };
    std::unique_ptr<EVP_CIPHER_CTX, free_context> context{::EVP_CIPHER_CTX_new()};

    explicit aes(const secret_key& key) {
        if (!context) throw std::bad_alloc();
        if (::EVP_CipherInit_ex(context.get(), ::EVP_aes_256_gcm(), nullptr, key.data(), nullptr, 1) != 1)
            throw std::runtime_error("OpenSSL offers no AES-256-GCM");
    }

    static void check(int answer) {
        if (answer != 1) throw std::runtime_error("OpenSSL fails at AES-256-GCM");
    }
    void begin(std::string_view nonce, std::string_view associated, bool sealing) {
        check(::EVP_CipherInit_ex(context.get(), nullptr, nullptr, nullptr, bytes_of(nonce), sealing ? 1 : 0));
        update(associated, nullptr);
    }
    void update(std::string_view from, unsigned char* to) {
        while (!from.empty()) {
            const std::size_t size = std::min(from.size(), most_at_once);
            int made = 0;
            check(::EVP_CipherUpdate(context.get(), to, &made, bytes_of(from), static_cast<int>(size)));
            from.remove_prefix(size);
            if (to != nullptr) to += size;
        }
    }
    bool finish() {
        unsigned char nothing[16];
        int made = 0;
        return ::EVP_CipherFinal_ex(context.get(), nothing, &made) == 1;
    }
    void control(int what, void* tag) { check(::EVP_CIPHER_CTX_ctrl(context.get(), what, static_cast<int>(tag_size), tag)); }
};

aead::aead(cipher which, const secret_key& key) : which_(which), key_(key) {
    start_sodium();
    if (which == cipher::aes256gcm) aes_ = std::make_unique<aes>(key);
}
aead::aead(aead&&) noexcept = default;
aead& aead::operator=(aead&&) noexcept = default;
aead::~aead() = default;

void aead::seal(std::string_view nonce, std::string_view associated, std::span<char> text, char* tag) {
    if (aes_) {
        aes_->begin(nonce, associated, true);
        aes_->update({text.data(), text.size()}, bytes_of(text.data()));
        if (!aes_->finish()) throw std::runtime_error("OpenSSL fails at AES-256-GCM");
        aes_->control(EVP_CTRL_AEAD_GET_TAG, tag);
    } else {
        ::crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
            bytes_of(text.data()), bytes_of(tag), nullptr, bytes_of(std::string_view(text.data(), text.size())), text.size(),
            bytes_of(associated), associated.size(), nullptr, bytes_of(nonce), key_.data());
    }
}

bool aead::open(std::string_view nonce, std::string_view associated, std::string_view sealed, const char* tag, char* to) {
    if (aes_) {
        aes_->begin(nonce, associated, false);
        aes_->update(sealed, bytes_of(to));
        aes_->control(EVP_CTRL_AEAD_SET_TAG, const_cast<char*>(tag));
        return aes_->finish();
    }
    return ::crypto_aead_xchacha20poly1305_ietf_decrypt_detached(bytes_of(to), nullptr, bytes_of(sealed), sealed.size(),
                                                                 bytes_of(std::string_view(tag, tag_size)), bytes_of(associated),
                                                                 associated.size(), bytes_of(nonce), key_.data()) == 0;
}

}  // namespace mqb::codec
