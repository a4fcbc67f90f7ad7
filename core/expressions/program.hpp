// program: an expression that was compiled: immutable, small to copy, shared by any number of evaluators on any threads.
#pragma once

#include "core/expressions/mistake.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core::expressions {

// filter: for `filter` and `when`. The result is true or false; ordering with a missing field does not hold, arithmetic with one is
// null; a field that holds a text is compared with a number as the number that the text says; `=` is a mistake.
// transform: the result is any JSON value; a missing field in arithmetic or ordering is an error; `a = 1; a + 1` names values.
enum class purpose { filter, transform };

struct code;

class program {
public:
    [[nodiscard]] const std::string& source() const noexcept;
    [[nodiscard]] purpose meant_for() const noexcept;
    // False: an evaluation never looks at the payload.
    [[nodiscard]] bool needs_payload() const noexcept;
    // What it reads of the payload, each once: `a.b`, `items[0]`; `$root` where it takes all of it.
    [[nodiscard]] std::vector<std::string> payload_paths() const;
    [[nodiscard]] const std::vector<std::string>& metadata_keys() const noexcept;
    // The same expression with every bracket that it could have; compiles to the same program again.
    [[nodiscard]] std::string text() const;

    [[nodiscard]] const code& internal() const noexcept { return *code_; }

private:
    explicit program(std::shared_ptr<const code> c) noexcept : code_(std::move(c)) {}
    friend outcome<program> compile(std::string_view source, purpose meant_for);
    std::shared_ptr<const code> code_;
};

// Bounds of an expression; more is a mistake.
constexpr std::size_t longest_expression = 64u << 10;
constexpr int deepest_brackets = 100;
constexpr int deepest_tree = 200;

// Everything that can be known without a message is checked here: names of functions, how many arguments, patterns.
[[nodiscard]] outcome<program> compile(std::string_view source, purpose meant_for);

}  // namespace mqb::core::expressions
