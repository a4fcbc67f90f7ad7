#include "core/expressions/mistake.hpp"

#include "core/readable.hpp"

#include <algorithm>
#include <stdexcept>

namespace mqb::core::expressions {

namespace {

constexpr std::size_t widest = 120;

// What stands in one column of a terminal: not the later bytes of a character.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string excerpt(std::string_view expression, const mistake& m) {
    // A block of a route file ends with a line break, behind which there is nothing to show.
    expression = expression.substr(0, expression.find_last_not_of(" \t\r\n") + 1);
    const std::size_t offset = std::min<std::size_t>(m.offset, expression.size());
    std::size_t first = expression.substr(0, offset).rfind('\n');
    first = first == std::string_view::npos ? 0 : first + 1;
    std::string_view line = expression.substr(first, expression.find('\n', first) - first);
    std::size_t at = offset - first;
    if (at > widest / 2) {
        std::size_t cut = at - widest / 2;
        while (cut < line.size() && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) ++cut;
        line.remove_prefix(cut);
        at -= cut;
    }
    if (line.size() > widest) {
        std::size_t end = widest;
        while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
        line = line.substr(0, end);
    }
    std::string shown{line};
    std::ranges::replace(shown, '\t', ' ');
    const std::size_t marked = std::max<std::size_t>(1, columns(line.substr(at, m.length)));
    return "  " + readable(shown) + "\n  " + std::string(columns(line.substr(0, at)), ' ') + std::string(marked, '^');
}

std::string with_caret(std::string_view expression, const mistake& m) { return readable(m.text) + '\n' + excerpt(expression, m) + '\n'; }

void throw_exception_from_error(const mistake& m, const boost::source_location&) { throw std::runtime_error(m.text); }

}  // namespace mqb::core::expressions
