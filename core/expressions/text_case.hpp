// text_case: large and small letters of any script, one letter for one letter, the same on every system. Any thread.
#pragma once

namespace mqb::core::expressions {

[[nodiscard]] char32_t upper_case(char32_t c) noexcept;
[[nodiscard]] char32_t lower_case(char32_t c) noexcept;

}  // namespace mqb::core::expressions
