// mistake: what is wrong with an expression or an evaluation of it, and where in its text.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core::expressions {

// Offset and length are bytes of the expression's text.
struct mistake {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    std::string text;
};

template <class T>
using outcome = boost::system::result<T, mistake>;

// The line of the expression, then `^` under the place; control characters are blanks, a long line is cut. No line break at its end.
[[nodiscard]] std::string excerpt(std::string_view expression, const mistake& m);
// The text, then the excerpt.
[[nodiscard]] std::string with_caret(std::string_view expression, const mistake& m);

[[noreturn]] void throw_exception_from_error(const mistake& m, const boost::source_location&);

}  // namespace mqb::core::expressions
