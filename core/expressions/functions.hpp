// functions: what can be called by name. Tables that never change; any thread.
#pragma once

#include "core/expressions/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mqb::core::expressions {

class machine;
struct node;

// One call: who evaluates, where it stands, with what.
struct call {
    machine& by;
    const node& at;
    std::span<const value> arguments;
    [[nodiscard]] const value& operator[](std::size_t i) const noexcept { return arguments[i]; }
    [[nodiscard]] std::size_t size() const noexcept { return arguments.size(); }
};

struct function {
    std::string_view name;
    std::uint8_t least, most;  // arguments
    bool takes_null;           // else a null is an error in a transform, and the result of it in a filter
    bool is_pure;              // the same result for the same arguments
    value (*run)(const call&);
};

[[nodiscard]] std::span<const function> all_functions() noexcept;

// What stands behind a date and a point; the date is their first argument.
[[nodiscard]] std::span<const function> date_methods() noexcept;

// What takes a list and an expression about `#`.
enum class closure : std::uint8_t { all, none, some, one, filter, map, flat_map, count };
[[nodiscard]] std::optional<closure> closure_named(std::string_view name) noexcept;
[[nodiscard]] std::string_view name_of(closure c) noexcept;

// ` (did you mean "len"?)`, or nothing.
[[nodiscard]] std::string near_function(std::string_view name);
[[nodiscard]] std::string near_method(std::string_view name);

// Where `part` begins in the text, from `from` on; npos: nowhere. In time that grows with both lengths, not with their product.
[[nodiscard]] std::size_t place_of(std::string_view part, std::string_view text, std::size_t from = 0) noexcept;

namespace functions {
[[nodiscard]] std::span<const function> of_texts() noexcept;
[[nodiscard]] std::span<const function> of_numbers() noexcept;
[[nodiscard]] std::span<const function> of_lists() noexcept;
[[nodiscard]] std::span<const function> of_types() noexcept;
[[nodiscard]] std::span<const function> of_dates() noexcept;
}  // namespace functions

}  // namespace mqb::core::expressions
