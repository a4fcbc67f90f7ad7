// evaluator: runs programs over messages. It keeps its memory between evaluations; one thread, any number of programs.
#pragma once

#include "core/expressions/program.hpp"
#include "core/message.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mqb::core::expressions {

struct workspace;

class evaluator {
public:
    evaluator();
    ~evaluator();
    evaluator(evaluator&&) noexcept;
    evaluator& operator=(evaluator&&) noexcept;

    // Whether the result is true; a function over a missing field does not hold. A mistake: the evaluation failed, or its result is neither
    // true nor false, such as a field that is missing.
    [[nodiscard]] outcome<bool> holds(const program& p, const buffer& payload, const buffer& metadata);
    // The result as JSON text, which lives until the next evaluation. What came in the payload stands in it byte for byte.
    [[nodiscard]] outcome<std::string_view> json(const program& p, const buffer& payload, const buffer& metadata);

private:
    std::unique_ptr<workspace> work_;
    std::string out_;
};

}  // namespace mqb::core::expressions
