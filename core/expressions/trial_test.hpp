// trial: compiles and evaluates an expression over a payload in one line of a test.
#pragma once

#include "core/expressions/evaluator.hpp"
#include "core/middlewares/metadata_edit.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::core::expressions {

inline buffer bytes_of(std::string_view text) {
    buffer b;
    b.data = reinterpret_cast<const std::uint8_t*>(text.data());
    b.size = text.size();
    return b;
}

using metadata_list = std::vector<std::pair<std::string, std::string>>;

inline counted_block block_of(const metadata_list& entries) {
    std::vector<text_edit> edits;
    for (const auto& [key, text] : entries) edits.push_back({key, text});
    return edited({}, edits);
}

// The result as JSON; "compile: …" or "error: …" where there is none.
inline std::string transformed(std::string_view expression, std::string_view payload, const metadata_list& metadata = {}) {
    const auto p = compile(expression, purpose::transform);
    if (!p) return "compile: " + p.error().text;
    evaluator e;
    const counted_block block = block_of(metadata);
    const auto result = e.json(*p, bytes_of(payload), block.get());
    return result ? std::string{*result} : "error: " + result.error().text;
}

// "keep", "drop", "compile: …" or "error: …".
inline std::string filtered(std::string_view expression, std::string_view payload, const metadata_list& metadata = {}) {
    const auto p = compile(expression, purpose::filter);
    if (!p) return "compile: " + p.error().text;
    evaluator e;
    const counted_block block = block_of(metadata);
    const auto result = e.holds(*p, bytes_of(payload), block.get());
    return !result ? "error: " + result.error().text : *result ? "keep" : "drop";
}

}  // namespace mqb::core::expressions
