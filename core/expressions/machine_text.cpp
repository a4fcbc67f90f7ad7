#include "core/expressions/dates.hpp"
#include "core/expressions/json_text.hpp"
#include "core/expressions/machine.hpp"

namespace mqb::core::expressions {

namespace {

void append_decimal(std::string& to, const decimal& d) {
    char text[decimal_text_size];
    to.append(text, write_decimal(d, text));
}

template <class All, class One>
void append_all(std::string& to, char open, char close, const All& all, One one) {
    to += open;
    bool is_first = true;
    for (const auto& e : all) {
        if (!is_first) to += ',';
        is_first = false;
        one(e);
    }
    to += close;
}

}  // namespace

// What came in the payload goes out byte for byte, unless a key repeats in it: what was judged is what is written.
void machine::append_json(std::string& to, const value& v) {
    if (to.size() > workspace::most_memory) throw arena::exhausted{};
    std::optional<deeper> inside;
    if (v.is_list() || v.is_object()) inside.emplace(*this, code_.nodes[code_.start]);
    switch (v.what) {
        case kind::null: to += "null"; break;
        case kind::boolean: to += v.flag ? "true" : "false"; break;
        case kind::number: append_decimal(to, v.number); break;
        case kind::raw_number: to += v.view(); break;
        case kind::text: expressions::append_json(to, v.view()); break;
        case kind::raw_text: to.append(1, '"').append(v.view()).append(1, '"'); break;
        case kind::raw_list:
        case kind::raw_object:
            check_depth_of(v);
            work_.document.append(to, v, memory());
            break;
        case kind::object:
            append_all(to, '{', '}', members_of(v), [&](const member& m) {
                expressions::append_json(to, m.key);
                to += ':';
                append_json(to, m.what);
            });
            break;
        case kind::list: append_all(to, '[', ']', v.elements_view(), [&](const value& e) { append_json(to, e); }); break;
        case kind::range: cannot_be_written("a range is no JSON; map([1..3], #) makes a list of one");
        case kind::date: to.append(1, '"').append(date_form(v)).append(1, '"'); break;
    }
}

// What is written can be read again: with what stands around it, a part of the payload is no deeper than a payload may be.
void machine::check_depth_of(const value& raw) const {
    const std::uint32_t around = depth_ - 1;
    if (around != 0 && around + work_.document.depth(raw.at) > json_document::deepest) too_deep(code_.nodes[code_.start]);
}

void machine::cannot_be_written(std::string why) const { fail(code_.nodes[code_.start], std::move(why)); }

std::string machine::date_form(const value& date) const {
    if (!date.flag) cannot_be_written("a date in the result is none: what d(x) was given cannot be read");
    return date_text(date.date.time, date.date.zone);
}

std::string machine::text_form(const node& at, const value& v) {
    if (v.is_text()) return std::string{text_of(v)};
    if (v.what == kind::date) return date_form(v);
    std::string out;
    if (v.what == kind::raw_number) {
        decimal d;
        if (read_number(at, v.view(), d) != reading::number) return std::string{v.view()};
        append_decimal(out, d);
        return out;
    }
    append_json(out, v);
    return out;
}

}  // namespace mqb::core::expressions
