// transform_coercion: what texts, numbers and truths have in common, exactly.
#pragma once

#include "core/expressions/json_document.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core {

// The types of JSON Schema that the value has, as bits: null 1, boolean 2, integer 4, number 8, string 16, array 32, object 64.
// Whether a number is an integer is looked at only where `wanted` asks.
[[nodiscard]] std::uint32_t types_of(const expressions::value& v, std::uint32_t wanted);

// The text without its escapes.
[[nodiscard]] std::string_view plain(const expressions::value& text, expressions::arena& memory);

// What the text says, as JSON behind `to`; blanks around it and a sign `+` are allowed. False: nothing of the kind, nothing is written.
bool append_integer(std::string& to, std::string_view text);
bool append_number(std::string& to, std::string_view text);
// true, false, 1, 0
bool append_truth(std::string& to, std::string_view text);

// Two values of two documents: numbers by what they are worth, objects whatever the order of their keys.
[[nodiscard]] bool are_same(const expressions::json_document& da, const expressions::value& a, const expressions::json_document& db,
                            const expressions::value& b, expressions::arena& memory);

}  // namespace mqb::core
