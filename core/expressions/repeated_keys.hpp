// repeated_keys: of members with the same key the last one counts.
#pragma once

#include "core/expressions/arena.hpp"
#include "core/expressions/value.hpp"

#include <cstddef>
#include <span>

namespace mqb::core::expressions {

// Moves what counts to the front, in its order; the answer is how many that are.
[[nodiscard]] std::size_t without_repeated(std::span<member> all, arena& memory);

}  // namespace mqb::core::expressions
