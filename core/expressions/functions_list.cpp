// Functions about lists and objects: len contains flatten merge mergeDeep keys values.
#include "core/expressions/functions.hpp"
#include "core/expressions/machine.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace mqb::core::expressions {

namespace {

[[noreturn]] void wrong_type(const call& c, const value& v, const char* wanted) {
    c.by.fail(c.at, "\"" + c.by.described(c.at) + "\" takes " + wanted + ", not the type " + std::string{type_name(v.what)});
}

value number(std::size_t n) { return value::of(decimal::of(static_cast<std::int64_t>(n))); }

value len(const call& c) {
    if (c[0].is_text()) {
        const std::string_view text = c.by.text_of(c[0]);
        c.by.spend(c.at, text.size() / 16);
        return number(static_cast<std::size_t>(
            std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0) != 0x80; })));
    }
    if (c[0].is_object()) return number(c.by.members_of(c[0]).size());
    if (!c[0].is_list() && c[0].what != kind::range) wrong_type(c, c[0], "a text, a list or an object");
    return number(c.by.elements_of(c.at, c[0]).size());
}

value contains(const call& c) {
    if (c[0].is_null()) {
        if (c.by.is_filter()) return {};
        c.by.fail(c.at, "what \"contains\" looks into is missing or null");
    }
    if (c[0].is_text()) {
        if (!c[1].is_text()) wrong_type(c, c[1], "a text to look for in a text");
        const std::string_view text = c.by.text_of(c[0]), part = c.by.text_of(c[1]);
        c.by.spend(c.at, (text.size() + part.size()) / 16);
        return value::of(place_of(part, text) != std::string_view::npos);
    }
    if (!c[0].is_list() && c[0].what != kind::range) wrong_type(c, c[0], "a list or a text");
    const auto all = c.by.elements_of(c.at, c[0]);
    c.by.spend(c.at, all.size());
    return value::of(std::ranges::any_of(all, [&](const value& e) { return c.by.are_equal(c.at, e, c[1]); }));
}

value flatten(const call& c) {
    const auto all = c.by.elements_of(c.at, c[0]);
    // What is in the place of each: a list that was taken apart, or the one element itself.
    const std::span<std::span<const value>> parts = c.by.memory().array<std::span<const value>>(all.size());
    std::size_t total = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        parts[i] = all[i].is_list() ? c.by.elements_of(c.at, all[i]) : all.subspan(i, 1);
        c.by.spend(c.at, parts[i].size());
        total += parts[i].size();
    }
    const std::span<value> out = c.by.memory().array<value>(total);
    auto to = out.begin();
    for (const auto part : parts) to = std::ranges::copy(part, to).out;
    return value::of(std::span<const value>{out});
}

// What is merged: the elements of the one argument that is a list, or the arguments.
std::span<const value> merged(const call& c) { return c.size() == 1 && c[0].is_list() ? c.by.elements_of(c.at, c[0]) : c.arguments; }

std::span<const member> members(const call& c, const value& v) {
    if (!v.is_object()) wrong_type(c, v, "objects");
    const auto all = c.by.members_of(v);
    c.by.spend(c.at, all.size());
    return all;
}

// A key keeps the place where it came first, with what came last.
value merge(const call& c) {
    std::vector<member> out;
    std::unordered_map<std::string_view, std::size_t> places;
    for (const value& v : merged(c))
        for (const member& m : members(c, v)) {
            const auto [place, is_new] = places.try_emplace(m.key, out.size());
            if (is_new) {
                out.push_back(m);
            } else {
                out[place->second].what = m.what;
            }
        }
    const std::span<member> kept = c.by.memory().array<member>(out.size());
    std::ranges::copy(out, kept.begin());
    return value::of(std::span<const member>{kept});
}

value deep(const call& c, const value& a, const value& b) {
    if (!a.is_object() || !b.is_object()) return b;
    const machine::deeper inside{c.by, c.at};
    const auto first = members(c, a), second = members(c, b);
    c.by.spend(c.at, first.size() * second.size() / 8);
    std::vector<member> out{first.begin(), first.end()};
    for (const member& m : second) {
        const auto known = std::ranges::find(out, m.key, &member::key);
        if (known == out.end()) {
            out.push_back(m);
        } else {
            known->what = deep(c, known->what, m.what);
        }
    }
    const std::span<member> kept = c.by.memory().array<member>(out.size());
    std::ranges::copy(out, kept.begin());
    return value::of(std::span<const member>{kept});
}

value merge_deep(const call& c) {
    value out = value::of(std::span<const member>{});
    for (const value& v : merged(c)) {
        if (!v.is_object()) wrong_type(c, v, "objects");
        out = deep(c, out, v);
    }
    return out;
}

value keys(const call& c) {
    const auto all = members(c, c[0]);
    const std::span<value> out = c.by.memory().array<value>(all.size());
    std::ranges::transform(all, out.begin(), [](const member& m) { return value::of(m.key); });
    return value::of(std::span<const value>{out});
}

value values(const call& c) {
    const auto all = members(c, c[0]);
    const std::span<value> out = c.by.memory().array<value>(all.size());
    std::ranges::transform(all, out.begin(), &member::what);
    return value::of(std::span<const value>{out});
}

constexpr std::uint8_t any = UINT8_MAX;
constexpr std::array<function, 7> all = {{{"len", 1, 1, false, true, &len},
                                          {"contains", 2, 2, true, true, &contains},
                                          {"flatten", 1, 1, false, true, &flatten},
                                          {"merge", 1, any, false, true, &merge},
                                          {"mergeDeep", 1, any, false, true, &merge_deep},
                                          {"keys", 1, 1, false, true, &keys},
                                          {"values", 1, 1, false, true, &values}}};

}  // namespace

std::span<const function> functions::of_lists() noexcept { return all; }

}  // namespace mqb::core::expressions
