#include "core/expressions/functions.hpp"
#include "core/expressions/machine.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace mqb::core::expressions {

namespace {

// Puts the element of an outer closure back.
struct element_guard {
    explicit element_guard(value& of) noexcept : at(of), before(of) {}
    element_guard(const element_guard&) = delete;
    element_guard& operator=(const element_guard&) = delete;
    ~element_guard() { at = before; }
    value& at;
    value before;
};

}  // namespace

value machine::each_element(const node& n) {
    const auto what = static_cast<closure>(n.data);
    const value list = kid(n, 0);
    if (list.is_null()) return no_value(n, 0);
    const auto elements = elements_of(kid_node(n, 0), list);
    const element_guard guard{element_};
    const auto holds = [&](const value& e) {
        element_ = e;
        return truth(n, 1, name_of(what));
    };
    switch (what) {
        case closure::all: return value::of(std::ranges::all_of(elements, holds));
        case closure::none: return value::of(std::ranges::none_of(elements, holds));
        case closure::some: return value::of(std::ranges::any_of(elements, holds));
        case closure::one: return value::of(std::ranges::count_if(elements, holds) == 1);
        case closure::count: return value::of(decimal::of(std::ranges::count_if(elements, holds)));
        default: break;
    }
    if (what == closure::filter) {
        const std::span<value> out = memory().array<value>(elements.size());
        std::size_t kept = 0;
        for (const value& e : elements)
            if (holds(e)) out[kept++] = e;
        return value::of(std::span<const value>{out.first(kept)});
    }
    const std::span<value> out = memory().array<value>(elements.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        element_ = elements[i];
        out[i] = kid(n, 1);
    }
    if (what == closure::map) return value::of(std::span<const value>{out});
    std::size_t total = 0;
    for (value& v : out) {
        const auto inner = elements_of(kid_node(n, 1), v);
        v = value::of(inner);
        total += inner.size();
    }
    spend(n, total);
    const std::span<value> flat = memory().array<value>(total);
    auto to = flat.begin();
    for (const value& v : out) to = std::ranges::copy(v.elements_view(), to).out;
    return value::of(std::span<const value>{flat});
}

value machine::match(const node& n) {
    const value v = kid(n, 0);
    if (v.is_null()) return no_value(n, 0);
    const node& k = kid_node(n, 0);
    if (!v.is_text()) fail(k, '"' + described(k) + "\" is no text, but of the type " + std::string{type_name(v.what)});
    const std::string_view text = text_of(v);
    const RE2& pattern = *code_.patterns[n.data];
    const re2::StringPiece in{text.data(), text.size()};
    constexpr int most = 65;
    re2::StringPiece groups[most];
    const int count = n.flag ? pattern.NumberOfCapturingGroups() + 1 : 0;
    // At worst each letter is looked at by each part of the pattern, with a copy of all groups.
    const auto parts = static_cast<std::uint64_t>(pattern.ProgramSize()) * static_cast<std::uint64_t>(count + 8) / 8;
    spend(n, text.size() * std::max<std::uint64_t>(parts, 16) / 128);
    const bool is_match = pattern.Match(in, 0, text.size(), RE2::UNANCHORED, groups, count);
    if (!n.flag) return value::of(is_match);
    if (!is_match) return value::of(std::span<const value>{});
    const std::span<value> out = memory().array<value>(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = groups[i].data() ? value::of(std::string_view{groups[i].data(), groups[i].size()}) : value{};
    return value::of(std::span<const value>{out});
}

}  // namespace mqb::core::expressions
