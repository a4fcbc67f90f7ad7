// abi_text: texts across the boundary.
#pragma once

#include "core/readable.hpp"

#include <mqb/status.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace mqb::loading {

inline constexpr std::size_t longest_text = 4096;  // the ABI cuts texts for people there

[[nodiscard]] inline std::string_view view(mqb_text t) noexcept { return t.data ? std::string_view{t.data, t.size} : std::string_view{}; }
[[nodiscard]] inline mqb_text text_of(std::string_view t) noexcept { return {t.data(), t.size()}; }

// Cut so that no UTF-8 character is broken.
[[nodiscard]] inline std::string_view cut(std::string_view t, std::size_t most = longest_text) noexcept {
    if (t.size() <= most) return t;
    while (most > 0 && (static_cast<unsigned char>(t[most]) & 0xC0) == 0x80) --most;
    return t.substr(0, most);
}

// A text of a plugin for people: cut, on one line, and valid UTF-8 whatever it was.
[[nodiscard]] inline std::string readable(std::string_view t, std::size_t most = longest_text) { return core::readable(cut(t, most)); }

}  // namespace mqb::loading
