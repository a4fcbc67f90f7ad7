#include "host/logs/scrubber.hpp"

#include <algorithm>
#include <cstdint>

namespace mqb::host {

namespace {

constexpr std::size_t shortest = 6;

int hex(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string url_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escape = text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0;
        out += is_escape ? static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2])) : text[i];
        if (is_escape) i += 2;
    }
    return out;
}

// Without the padding and the last group, so that it is found where more text follows the secret.
std::string base64(std::string_view text) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i + 3 <= text.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | static_cast<std::uint8_t>(text[i + j]);
        for (int shift = 18; shift >= 0; shift -= 6) out += letters[bits >> shift & 63];
    }
    return out;
}

// scheme://user:password@host: a password there may be too short to be looked for in every text.
void hide_users(std::string& text) {
    constexpr std::string_view behind_authority = "/?# \t\r\n\"'<>";
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
        at += 3;
        const std::size_t end = std::min(text.find_first_of(behind_authority, at), text.size());
        const std::size_t mark = std::string_view{text}.substr(0, end).rfind('@');
        if (mark != std::string::npos && mark > at) text.replace(at, mark - at, "***");
    }
}

}  // namespace

scrubber::scrubber(std::span<const std::string> secrets) {
    for (const std::string& secret : secrets) {
        if (secret.size() < shortest) continue;
        for (std::string form : {secret, url_decoded(secret), base64(secret)})
            if (form.size() >= shortest) forms_.push_back(std::move(form));
    }
    std::sort(forms_.begin(), forms_.end(),
              [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
    forms_.erase(std::unique(forms_.begin(), forms_.end()), forms_.end());
}

std::string scrubber::clean(std::string_view text) const {
    std::string out{text};
    for (const std::string& form : forms_) {
        for (std::size_t at = out.find(form); at != std::string::npos; at = out.find(form, at + 3)) out.replace(at, form.size(), "***");
    }
    hide_users(out);
    return out;
}

}  // namespace mqb::host
