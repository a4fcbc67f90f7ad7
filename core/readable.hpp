// readable: what may be shown to people on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace mqb::core {

// On one line, without the control characters that a terminal would obey (blanks instead; a tab stays), and valid UTF-8 whatever it was.
[[nodiscard]] std::string readable(std::string_view t);

}  // namespace mqb::core
