#include "utf8.hpp"

#include "chunk16.hpp"

#include <mqb/sdk/utf8.hpp>

namespace mqb::file {

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        while (text.size() - at >= 16) {
            const chunk_set beyond_ascii = chunk16::load(text.data() + at).high();
            if (beyond_ascii != 0) {
                at += static_cast<std::size_t>(first_of(beyond_ascii));
                break;
            }
            at += 16;
        }
        if (at == text.size()) break;
        const int length = sdk::utf8_character(text.substr(at));
        if (length < 0) return at;
        at += static_cast<std::size_t>(length);
    }
    return at;
}

void append_as_utf8(std::string_view text, std::string& to) {
    while (!text.empty()) {
        const std::size_t good = valid_utf8_prefix(text);
        to.append(text.substr(0, good));
        text.remove_prefix(good);
        if (text.empty()) return;
        to.append("\xef\xbf\xbd");
        text.remove_prefix(static_cast<std::size_t>(-sdk::utf8_character(text)));
    }
}

}  // namespace mqb::file
