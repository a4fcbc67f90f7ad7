// metadata_value: what an entry of a metadata block is in an expression.
#pragma once

#include "core/expressions/arena.hpp"
#include "core/expressions/value.hpp"
#include "core/message.hpp"

namespace mqb::core::expressions {

// The last entry of that key; null: there is none, or it is null. Numbers and true/false are what they are, a time is a text as in RFC
// 3339, bytes are the text that they are. False in `is_text`: they are none, or the entry is of a type of its own.
[[nodiscard]] value metadata_value(const buffer& block, std::string_view key, arena& memory, bool& is_text);

}  // namespace mqb::core::expressions
