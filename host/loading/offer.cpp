#include "host/loading/offer.hpp"

#include <algorithm>
#include <array>

namespace mqb::loading {

namespace {
constexpr std::array<std::string_view, 4> words{"endpoint", "middleware", "handler", "store"};
}

std::string_view to_text(offer_kind kind) noexcept {
    auto i = static_cast<std::uint32_t>(kind);
    return i >= 1 && i <= words.size() ? words[i - 1] : "unknown kind";
}

bool from_text(std::string_view word, offer_kind& kind) noexcept {
    auto at = std::ranges::find(words, word);
    if (at == words.end()) return false;
    kind = static_cast<offer_kind>(at - words.begin() + 1);
    return true;
}

bool is_plugin_name(std::string_view name) noexcept {
    auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    auto is_rest = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && name.size() <= 64 && is_letter(name.front()) && std::ranges::all_of(name, is_rest);
}

}  // namespace mqb::loading
