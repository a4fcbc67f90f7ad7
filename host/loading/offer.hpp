// offer: one thing that a plugin library offers to route files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::loading {

// Numbers are those of the plugin ABI.
enum class offer_kind : std::uint32_t { endpoint = 1, middleware = 2, handler = 3, store = 4 };

[[nodiscard]] std::string_view to_text(offer_kind kind) noexcept;
// False for a word that is none of the four.
[[nodiscard]] bool from_text(std::string_view word, offer_kind& kind) noexcept;

struct offer {
    offer_kind kind = offer_kind::endpoint;
    std::string name;
    std::uint32_t sides = 0;  // bits of core::side; 0 for handlers and stores

    friend bool operator==(const offer&, const offer&) = default;
};

// True for [a-z][a-z0-9_]*, at most 64 characters.
[[nodiscard]] bool is_plugin_name(std::string_view name) noexcept;

}  // namespace mqb::loading
