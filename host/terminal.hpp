// terminal: whether a stream is one, and whether it wants colours.
#pragma once

#include <string>
#include <string_view>

namespace mqb::host {

enum class colour { red, yellow, green, bold };

[[nodiscard]] bool is_terminal(int descriptor) noexcept;
// A terminal that is not dumb, and NO_COLOR is not set to anything.
[[nodiscard]] bool wants_colour(int descriptor) noexcept;
// The text in that colour where the stream wants colours.
[[nodiscard]] std::string coloured(std::string_view text, colour in, int descriptor);

}  // namespace mqb::host
