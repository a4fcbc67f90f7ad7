#include "codec/envelope.hpp"

#include <string>

#include "codec/broken.hpp"

namespace mqb::codec {
namespace {

unsigned byte_at(std::string_view bytes, std::size_t at) noexcept { return static_cast<unsigned char>(bytes[at]); }

}  // namespace

envelope parse_envelope(std::string_view bytes) {
    constexpr const char* cut = "the envelope is cut short";
    if (bytes.size() < 3) throw broken(cut);
    envelope found;
    found.version = static_cast<std::uint8_t>(byte_at(bytes, 0));
    if (found.version != plain_version && found.version != bound_version)
        throw broken("the envelope has the unknown version " + std::to_string(found.version));
    if (byte_at(bytes, 1) > 1) throw broken("the envelope has the unknown cipher " + std::to_string(byte_at(bytes, 1)));
    found.cipher = static_cast<cipher>(byte_at(bytes, 1));
    const std::size_t id_size = byte_at(bytes, 2), nonce = nonce_size(found.cipher), head_size = 3 + id_size + nonce;
    if (bytes.size() < head_size + tag_size) throw broken(cut);
    found.key_id = bytes.substr(3, id_size);
    found.nonce = bytes.substr(3 + id_size, nonce);
    found.head = bytes.substr(0, head_size);
    found.ciphertext = bytes.substr(head_size, bytes.size() - head_size - tag_size);
    found.tag = bytes.substr(bytes.size() - tag_size);
    return found;
}

bool looks_sealed(std::string_view beginning, std::uint64_t size) noexcept {
    if (beginning.empty()) return true;
    if (byte_at(beginning, 0) != plain_version && byte_at(beginning, 0) != bound_version) return false;
    if (beginning.size() < 2) return true;
    if (byte_at(beginning, 1) > 1) return false;
    if (beginning.size() < 3) return true;
    const std::size_t id_size = byte_at(beginning, 2);
    if (id_size == 0 || size < 3 + id_size + nonce_size(static_cast<cipher>(byte_at(beginning, 1))) + tag_size) return false;
    // Key ids are names.
    return beginning.size() < 4 || byte_at(beginning, 3) >= 0x20;
}

}  // namespace mqb::codec
