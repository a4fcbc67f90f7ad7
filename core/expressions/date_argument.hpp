// date_argument: what functions and methods of dates are called with; an argument of another kind fails the evaluation.
#pragma once

#include "core/expressions/dates.hpp"
#include "core/expressions/functions.hpp"
#include "core/expressions/machine.hpp"

namespace mqb::core::expressions {

[[nodiscard]] milliseconds_utc now() noexcept;
[[nodiscard]] std::string_view text_argument(const call& c, std::size_t i);
[[nodiscard]] unit unit_argument(const call& c, std::size_t i);
[[nodiscard]] std::int64_t whole_argument(const call& c, std::size_t i);
[[nodiscard]] zone zone_argument(const call& c, std::size_t i);

}  // namespace mqb::core::expressions
