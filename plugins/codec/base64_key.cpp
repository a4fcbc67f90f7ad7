#include "codec/base64_key.hpp"

#include <sodium.h>

namespace mqb::codec {

secret_key::~secret_key() { ::sodium_memzero(bytes_.data(), bytes_.size()); }

std::optional<secret_key> key_from_base64(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return std::nullopt;
    text = text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
    std::optional<secret_key> key{std::in_place};
    std::size_t size = 0;
    const char* end = nullptr;
    // Without telling by its time what the text is.
    const int wrong =
        ::sodium_base642bin(key->data(), key_size, text.data(), text.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL);
    if (wrong != 0 || size != key_size || end != text.data() + text.size()) return std::nullopt;
    return key;
}

void wipe(std::string& text) noexcept {
    ::sodium_memzero(text.data(), text.size());
    text.clear();
}

}  // namespace mqb::codec
