// Functions about what a value is: isNumeric string number bool type.
#include "core/expressions/functions.hpp"
#include "core/expressions/machine.hpp"

#include <array>

namespace mqb::core::expressions {

namespace {

[[noreturn]] void no_conversion(const call& c, std::string_view to) {
    const std::string text = c[0].is_text() ? "the text \"" + std::string{c.by.text_of(c[0]).substr(0, 40)} + '"'
                                            : "a value of the type " + std::string{type_name(c[0].what)};
    c.by.fail(c.at, text + " is no " + std::string{to});
}

value is_numeric(const call& c) {
    decimal d;
    return value::of(c[0].is_number() || (c[0].is_text() && c.by.read_number(c.at, c.by.text_of(c[0]), d) == reading::number));
}

value string(const call& c) {
    if (c[0].is_text()) return c[0];
    return value::of(c.by.memory().copy(c.by.text_form(c.at, c[0])));
}

value number(const call& c) {
    if (c[0].is_number()) return c[0];
    if (c[0].what == kind::boolean) return value::of(decimal::of(c[0].flag ? 1 : 0));
    if (!c[0].is_text()) no_conversion(c, "number");
    decimal d;
    const reading r = c.by.read_number(c.at, c.by.text_of(c[0]), d);
    if (r == reading::too_long)
        c.by.fail(c.at, "the number has more than " + std::to_string(decimal::most_digits) + " digits, or is out of range");
    if (r != reading::number) no_conversion(c, "number");
    return value::of(d);
}

value boolean(const call& c) {
    if (c[0].what == kind::boolean) return c[0];
    if (c[0].is_number()) return value::of(!c.by.number_of(c.at, c[0]).is_zero());
    if (!c[0].is_text()) no_conversion(c, "true or false");
    const std::string_view t = c.by.text_of(c[0]);
    if (t != "true" && t != "false") no_conversion(c, "true or false");
    return value::of(t == "true");
}

value type(const call& c) { return value::of(type_name(c[0].what)); }

constexpr std::array<function, 5> all = {{{"isNumeric", 1, 1, true, true, &is_numeric},
                                          {"string", 1, 1, true, true, &string},
                                          {"number", 1, 1, false, true, &number},
                                          {"bool", 1, 1, false, true, &boolean},
                                          {"type", 1, 1, true, true, &type}}};

}  // namespace

std::span<const function> functions::of_types() noexcept { return all; }

}  // namespace mqb::core::expressions
