#include "encryption_config.hpp"

#include "codec/base64_key.hpp"

namespace mqb::file {
namespace {

void check_id(std::string_view where, std::string_view id) {
    if (id.empty() || id.size() > codec::longest_key_id)
        throw sdk::bad_config("encryption.", where, ": a name of 1 to ", codec::longest_key_id, " bytes was expected");
    if (static_cast<unsigned char>(id.front()) < 0x20)
        throw sdk::bad_config("encryption.", where, ": a name begins with no control character");
}

void check_key(std::string_view where, std::string_view key) {
    if (!codec::key_from_base64(key)) throw sdk::bad_config("encryption.", where, ": base64 of exactly 32 bytes was expected");
}

}  // namespace

encryption_config::~encryption_config() {
    codec::wipe(key);
    for (auto& [id, other] : decrypt_keys) codec::wipe(other);
}

void encryption_config::check() const {
    check_id("key_id", key_id);
    check_key("key", key);
    for (const auto& [id, other] : decrypt_keys) {
        check_id("decrypt_keys", id);
        check_key("decrypt_keys", other);
    }
}

codec::sealer encryption_config::sealer() const { return {cipher, key_id, codec::key_from_base64(key).value()}; }

codec::opener encryption_config::opener() const {
    codec::opener all;
    all.add(key_id, codec::key_from_base64(key).value());
    for (const auto& [id, other] : decrypt_keys) all.add(id, codec::key_from_base64(other).value());
    return all;
}

}  // namespace mqb::file
