// text: borrowed text and bytes of the ABI as std::string_view, and putting a line of text together.
#pragma once

#include <mqb/message.h>

#include <charconv>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace mqb::sdk {

using byte_view = std::span<const std::uint8_t>;

constexpr std::string_view view(mqb_text text) noexcept { return text.size ? std::string_view(text.data, text.size) : std::string_view(); }
constexpr mqb_text text_of(std::string_view text) noexcept { return {text.data(), text.size()}; }

inline byte_view bytes_of(const mqb_buffer& buffer) noexcept { return {buffer.data, buffer.size}; }
inline byte_view bytes_of(std::string_view text) noexcept { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }
inline std::string_view view(byte_view data) noexcept { return {reinterpret_cast<const char*>(data.data()), data.size()}; }
inline std::string_view view(const mqb_buffer& buffer) noexcept { return view(bytes_of(buffer)); }

// A buffer over bytes that somebody else keeps: whoever keeps it longer than the call copies it. Empty stays empty, not null.
inline mqb_buffer borrowed(byte_view data) noexcept {
    static constexpr std::uint8_t nothing = 0;
    return {data.data() ? data.data() : &nothing, data.size(), nullptr};
}
inline mqb_buffer borrowed(std::string_view text) noexcept { return borrowed(bytes_of(text)); }

namespace detail {

template <class Part>
void append_part(std::string& to, const Part& part) {
    if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
        to += std::string_view(part);
    } else if constexpr (std::same_as<Part, bool>) {
        to += part ? "true" : "false";
    } else if constexpr (std::same_as<Part, char>) {
        to += part;
    } else {
        char digits[40];
        const char* end = std::to_chars(digits, digits + sizeof digits, part).ptr;
        to.append(digits, static_cast<std::size_t>(end - digits));
    }
}

}  // namespace detail

// One text from any number of texts and numbers: join("line ", 7, " of ", path).
template <class... Parts>
std::string join(const Parts&... parts) {
    std::string to;
    (detail::append_part(to, parts), ...);
    return to;
}

}  // namespace mqb::sdk
