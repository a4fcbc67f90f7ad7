// Compiles what stands before the first zero byte, and evaluates it over what stands behind it, as a filter and as a transform. What is
// written is JSON again, and what a program says of itself compiles to the same program.
#include "core/expressions/evaluator.hpp"
#include "core/expressions/json_document.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace mqb::core::expressions;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all{reinterpret_cast<const char*>(data), size};
    const std::string_view expression = all.substr(0, all.find('\0'));
    mqb::core::buffer payload, metadata;
    if (expression.size() < all.size()) {
        payload.data = data + expression.size() + 1;
        payload.size = size - expression.size() - 1;
        metadata = payload;  // any bytes at all
    }
    static evaluator one;
    static json_document again;
    for (const purpose p : {purpose::filter, purpose::transform}) {
        const auto program = compile(expression, p);
        if (!program) {
            if (with_caret(expression, program.error()).empty()) std::abort();
            continue;
        }
        const auto same = compile(program->text(), p);
        if (same && same->text() != program->text()) std::abort();
        (void)one.holds(*program, payload, metadata);
        const auto result = one.json(*program, payload, metadata);
        if (result && !again.read(*result).empty()) std::abort();
    }
    return 0;
}
