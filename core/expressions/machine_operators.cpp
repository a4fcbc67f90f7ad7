#include "core/expressions/machine.hpp"

#include <algorithm>

namespace mqb::core::expressions {

namespace {

bool is_field(op what) noexcept {
    return what == op::field || what == op::metadata || what == op::element || what == op::member || what == op::index;
}

std::string_view trimmed(std::string_view t) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t from = t.find_first_not_of(blanks);
    return from == std::string_view::npos ? std::string_view{} : t.substr(from, t.find_last_not_of(blanks) - from + 1);
}

std::string_view sign_of(op what) noexcept {
    switch (what) {
        case op::add: return "+";
        case op::subtract: return "-";
        case op::multiply: return "*";
        case op::divide: return "/";
        case op::remainder: return "%";
        case op::power: return "^";
        default: return "";
    }
}

}  // namespace

value machine::negate(const node& n) {
    const value v = kid(n, 0);
    if (v.is_null()) return no_value(n, 0);
    if (!v.is_number()) fail(n, "a sign stands before a number, not before a value of the type " + std::string{type_name(v.what)});
    const decimal d = number_of(n, v);
    return value::of(n.data == 1 ? d : negated(d));
}

value machine::add_texts(const value& a, const value& b) {
    const std::string_view first = text_of(a), second = text_of(b);
    const std::span<char> to = memory().array<char>(first.size() + second.size());
    std::ranges::copy(second, std::ranges::copy(first, to.begin()).out);
    return value::of(std::string_view{to.data(), to.size()});
}

value machine::calculate(const node& n) {
    const value a = kid(n, 0), b = kid(n, 1);
    if (a.is_null()) return no_value(n, 0);
    if (b.is_null()) return no_value(n, 1);
    if (n.what == op::add && a.is_text() && b.is_text()) return add_texts(a, b);
    if (!a.is_number() || !b.is_number()) {
        const bool is_mixed = n.what == op::add && (a.is_text() || b.is_text());
        fail(n, "\"" + std::string{sign_of(n.what)} + "\" does not work with the types " + std::string{type_name(a.what)} + " and " +
                    std::string{type_name(b.what)} + (is_mixed ? "; string(x) makes a text of x, number(x) a number" : ""));
    }
    const decimal x = number_of(kid_node(n, 0), a), y = number_of(kid_node(n, 1), b);
    std::optional<decimal> r;
    switch (n.what) {
        case op::add: r = sum(x, y); break;
        case op::subtract: r = difference(x, y); break;
        case op::multiply: r = product(x, y); break;
        case op::divide:
        case op::remainder:
            if (y.is_zero()) fail(n, "division by zero");
            r = n.what == op::divide ? quotient(x, y) : remainder(x, y);
            break;
        default: {
            constexpr std::int64_t most = 9999;
            const auto exponent = whole(y);
            if (!exponent || *exponent > most || *exponent < -most) fail(n, "an exponent is a whole number from -9999 to 9999");
            if (x.is_zero() && *exponent < 0) fail(n, "division by zero");
            r = power(x, static_cast<int>(*exponent));
        }
    }
    if (!r) fail(n, "the result needs more than " + std::to_string(decimal::most_digits) + " digits");
    return value::of(*r);
}

bool machine::are_equal(const node& at, const value& a, const value& b) {
    if (a.is_number() && b.is_number()) return expressions::compare(number_of(at, a), number_of(at, b)) == 0;
    if (a.is_text() && b.is_text()) {
        spend(at, std::min(a.text.size, b.text.size) / 64);
        return text_of(a) == text_of(b);
    }
    if (a.is_list() && b.is_list()) {
        const deeper inside{*this, at};
        const auto x = elements_of(at, a), y = elements_of(at, b);
        if (x.size() != y.size()) return false;
        spend(at, x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!are_equal(at, x[i], y[i])) return false;
        return true;
    }
    if (a.is_object() && b.is_object()) {
        const deeper inside{*this, at};
        const auto x = members_of(a), y = members_of(b);
        if (x.size() != y.size()) return false;
        for (const member& m : x) {
            spend(at, y.size());
            const auto other = std::ranges::find(y, m.key, &member::key);
            if (other == y.end() || !are_equal(at, m.what, other->what)) return false;
        }
        return true;
    }
    if (a.what != b.what) return false;
    switch (a.what) {
        case kind::null: return true;
        case kind::boolean: return a.flag == b.flag;
        case kind::date: return a.flag == b.flag && (!a.flag || a.date.time == b.date.time);
        case kind::range:
            return a.flag == b.flag && are_equal(at, a.items.data[0], b.items.data[0]) && are_equal(at, a.items.data[1], b.items.data[1]);
        default: return false;
    }
}

int machine::order(const node& at, const value& a, const value& b) {
    if (a.is_number() && b.is_number()) return expressions::compare(number_of(at, a), number_of(at, b));
    if (a.what == kind::date && b.what == kind::date) {
        if (!a.flag || !b.flag) fail(at, "a date that is none has no order");
        return (a.date.time > b.date.time) - (a.date.time < b.date.time);
    }
    fail(at, "only numbers, or dates, have an order, not the types " + std::string{type_name(a.what)} + " and " +
                 std::string{type_name(b.what)});
}

// In a filter a field that holds a text is read as a number where it is compared with one that stands in the expression.
value machine::cast(const node& n, std::size_t i, const value& v, bool is_equality) {
    const node& other = kid_node(n, 1 - i);
    if (!is_field(kid_node(n, i).what) || other.what != op::constant || code_.constants[other.data].what != kind::number) return v;
    decimal d;
    spend(n, v.text.size / 64);
    const std::string_view text = trimmed(text_of(v));
    const reading r = read_number(n, text, d);
    if (r == reading::number) return value::of(d);
    if (r == reading::not_a_number && is_equality) return v;
    const node& k = kid_node(n, i);
    fail(k, r == reading::too_long
                ? "the number in \"" + described(k) + "\" has more than " + std::to_string(decimal::most_digits) + " digits"
                : "the text in \"" + described(k) + "\" is not a number");
}

value machine::compare(const node& n) {
    value a = kid(n, 0), b = kid(n, 1);
    const bool is_equality = n.what == op::equal || n.what == op::not_equal;
    if (is_filter()) {
        if (a.is_text() && !b.is_text())
            a = cast(n, 0, a, is_equality);
        else if (b.is_text() && !a.is_text())
            b = cast(n, 1, b, is_equality);
    }
    if (is_equality) return value::of(are_equal(n, a, b) == (n.what == op::equal));
    if (a.is_null() || b.is_null()) {
        (void)no_value(n, a.is_null() ? 0 : 1);
        return value::of(false);
    }
    const int c = order(n, a, b);
    switch (n.what) {
        case op::less: return value::of(c < 0);
        case op::at_most: return value::of(c <= 0);
        case op::greater: return value::of(c > 0);
        default: return value::of(c >= 0);
    }
}

bool machine::is_in_range(const node& n, const value& v, const value& range) {
    const auto ends = range.elements_view();
    const int least = range.flag ? 0 : 1;
    return order(n, v, ends[0]) >= least && order(n, ends[1], v) >= least;
}

bool machine::is_in(const node& n) {
    const value v = kid(n, 0), all = kid(n, 1);
    if (all.is_null()) return (void)no_value(n, 1), false;
    if (all.what == kind::range) {
        if (v.is_null()) return (void)no_value(n, 0), false;
        return is_in_range(n, v, all);
    }
    if (!all.is_list())
        fail(n, "\"in\" looks into a list or a range, not into the type " + std::string{type_name(all.what)} +
                    (all.is_text() ? "; contains(text, part) looks into a text" : ""));
    const auto elements = elements_of(n, all);
    spend(n, elements.size());
    return std::ranges::any_of(elements, [&](const value& e) { return are_equal(n, v, e); });
}

}  // namespace mqb::core::expressions
