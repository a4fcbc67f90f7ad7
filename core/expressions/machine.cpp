#include "core/expressions/machine.hpp"

#include "core/expressions/functions.hpp"

namespace mqb::core::expressions {

void machine::fail(const node& at, std::string text) const { throw mistake{at.offset, at.length, std::move(text)}; }

void machine::too_deep(const node& at) const {
    fail(at, "the nesting of a value is deeper than " + std::to_string(json_document::deepest));
}

std::string machine::described(const node& n) const {
    const std::string_view text = std::string_view{code_.source}.substr(n.offset, n.length);
    constexpr std::size_t most = 60;
    if (text.size() <= most) return std::string{text};
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return std::string{text.substr(0, end)} + "…";
}

void machine::takes_too_long(const node& at) const {
    fail(at, "the expression takes more than " + std::to_string(work_.step_limit) + " steps");
}

value machine::no_value(const node& n, std::size_t i) const {
    if (is_filter()) return {};
    const node& k = kid_node(n, i);
    fail(k, '"' + described(k) + "\" is missing or null");
}

bool machine::truth(const node& n, std::size_t i, std::string_view of) {
    const value v = kid(n, i);
    if (v.what == kind::boolean) return v.flag;
    if (v.is_null() && is_filter()) return false;
    const node& k = kid_node(n, i);
    std::string hint;
    if (n.what == op::not_ && !v.is_null()) hint = "; \"not\" takes what stands next to it: write not (…)";
    fail(k, std::string{of} + " needs true or false, and \"" + described(k) + "\" is " +
                (v.is_null() ? "missing or null" : "of the type " + std::string{type_name(v.what)}) + hint);
}

value machine::work_out(const node& n) {
    switch (n.what) {
        case op::constant: return code_.constants[n.data];
        case op::field: return field(n);
        case op::metadata: return metadata(n);
        case op::root: read_payload(n); return work_.document.at(0);
        case op::element: return element_;
        case op::local: return work_.locals[n.data];
        case op::assign: return work_.locals[n.data] = kid(n, 0);
        case op::sequence:
            for (std::size_t i = 0; i + 1 < n.count; ++i) (void)kid(n, i);
            return kid(n, n.count - 1);
        case op::member: return member_of(n, kid(n, 0), code_.names[n.data]);
        case op::index: return index(n);
        case op::slice: return slice(n);
        case op::list: return list(n);
        case op::object: return object(n);
        case op::range: return range(n);
        case op::negate: return negate(n);
        case op::add:
        case op::subtract:
        case op::multiply:
        case op::divide:
        case op::remainder:
        case op::power: return calculate(n);
        case op::not_: return value::of(!truth(n, 0, "\"not\""));
        case op::and_:
            for (std::size_t i = 0; i < n.count; ++i)
                if (!truth(n, i, "\"and\"")) return value::of(false);
            return value::of(true);
        case op::or_:
            for (std::size_t i = 0; i < n.count; ++i)
                if (truth(n, i, "\"or\"")) return value::of(true);
            return value::of(false);
        case op::equal:
        case op::not_equal:
        case op::less:
        case op::at_most:
        case op::greater:
        case op::at_least: return compare(n);
        case op::in: return value::of(is_in(n));
        case op::not_in: return value::of(!is_in(n));
        case op::coalesce: {
            const value v = kid(n, 0);
            return v.is_null() ? kid(n, 1) : v;
        }
        case op::conditional: return kid(n, truth(n, 0, "\"?\"") ? 1 : 2);
        case op::join: return join(n);
        case op::call: return call_function(n, all_functions()[n.data]);
        case op::match: return match(n);
        case op::closure: return each_element(n);
        case op::method: return call_function(n, date_methods()[n.data]);
    }
    return {};
}

value machine::call_function(const node& n, const function& f) {
    constexpr std::size_t few = 4;
    value fixed[few];
    const std::span<value> arguments = n.count <= few ? std::span<value>{fixed, n.count} : memory().array<value>(n.count);
    for (std::size_t i = 0; i < n.count; ++i) {
        arguments[i] = kid(n, i);
        if (arguments[i].is_null() && !f.takes_null) return no_value(n, i);
    }
    return f.run({*this, n, arguments});
}

value machine::join(const node& n) {
    std::string out;
    for (std::size_t i = 0; i < n.count; ++i) {
        const value v = kid(n, i);
        if (v.is_text()) {
            out += text_of(v);
        } else {
            out += text_form(n, v);
        }
        if (out.size() > workspace::most_memory) throw arena::exhausted{};
    }
    spend(n, out.size() / 64);
    return value::of(memory().copy(out));
}

value machine::list(const node& n) {
    const std::span<value> out = memory().array<value>(n.count);
    for (std::size_t i = 0; i < n.count; ++i) out[i] = kid(n, i);
    return value::of(std::span<const value>{out});
}

value machine::object(const node& n) {
    const std::span<member> out = memory().array<member>(n.count);
    for (std::size_t i = 0; i < n.count; ++i) out[i] = {code_.names[n.data + i], kid(n, i)};
    return value::of(std::span<const member>{out});
}

value machine::range(const node& n) {
    const std::span<value> ends = memory().array<value>(2);
    for (std::size_t i = 0; i < 2; ++i) {
        ends[i] = kid(n, i);
        if (ends[i].is_null()) return no_value(n, i);
        if (!ends[i].is_number() && ends[i].what != kind::date)
            fail(kid_node(n, i), "the end of a range is a number or a date, not " + std::string{type_name(ends[i].what)});
    }
    value v;
    v.what = kind::range;
    v.flag = n.data == 0;
    v.items = {ends.data(), ends.size()};
    return v;
}

}  // namespace mqb::core::expressions
