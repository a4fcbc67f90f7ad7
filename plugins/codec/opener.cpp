#include "codec/opener.hpp"

#include "codec/broken.hpp"

namespace mqb::codec {

void opener::add(const std::string& key_id, const secret_key& key) { keys_.try_emplace(key_id, known{key, {}, {}}); }

std::size_t opener::open(std::string_view bytes, char* to, std::optional<std::string_view> bound) {
    const envelope sealed = parse_envelope(bytes);
    const auto found = keys_.find(sealed.key_id);
    // The name comes from the bytes: shown only where it can be one.
    if (found == keys_.end()) {
        constexpr auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
        std::string name;
        for (const char c : sealed.key_id) name += is_plain(c) ? c : '?';
        throw broken("there is no key \"" + name + '"');
    }
    std::string associated;
    if (sealed.version == bound_version) {
        if (!bound) throw broken("the envelope has metadata bound to it, which are not here");
        associated.append(sealed.head);
    }
    if (bound) associated.append(*bound);
    auto& with = sealed.cipher == cipher::aes256gcm ? found->second.aes : found->second.xchacha;
    if (!with) with.emplace(sealed.cipher, found->second.key);
    if (!with->open(sealed.nonce, associated, sealed.ciphertext, sealed.tag.data(), to))
        throw broken("the envelope does not open: it is damaged or forged, or the key \"" + found->first + "\" is another one");
    return sealed.ciphertext.size();
}

}  // namespace mqb::codec
