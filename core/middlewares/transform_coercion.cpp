#include "core/middlewares/transform_coercion.hpp"

#include "core/expressions/decimal.hpp"
#include "core/expressions/json_text.hpp"

#include <algorithm>

namespace mqb::core {

namespace {

using expressions::json_document;
using expressions::kind;
using expressions::value;

std::string_view trimmed(std::string_view t) {
    const auto first = t.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return t.substr(first, t.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_whole(std::string_view number) {
    if (number.find_first_of(".eE") == std::string_view::npos) return true;
    expressions::decimal d;
    if (expressions::read_decimal(number, d) != expressions::reading::number) return false;
    const auto whole = expressions::rounded(d, 0, expressions::rounding::to_zero);
    return whole && expressions::compare(*whole, d) == 0;
}

bool are_same_numbers(std::string_view a, std::string_view b) {
    expressions::decimal da, db;
    const bool are_read = expressions::read_decimal(a, da) == expressions::reading::number &&
                          expressions::read_decimal(b, db) == expressions::reading::number;
    return are_read ? expressions::compare(da, db) == 0 : a == b;
}

}  // namespace

std::string_view plain(const value& v, expressions::arena& memory) {
    if (v.what != kind::raw_text) return v.view();
    const std::span<char> to = memory.array<char>(v.text.size);
    return {to.data(), expressions::unescape(v.view(), to.data())};
}

std::uint32_t types_of(const value& v, std::uint32_t wanted) {
    switch (v.what) {
        case kind::null: return 1;
        case kind::boolean: return 2;
        case kind::raw_number: return (wanted & 8) == 0 && (wanted & 4) != 0 && !is_whole(v.view()) ? 8 : 4 | 8;
        case kind::raw_list: return 32;
        case kind::raw_object: return 64;
        default: return 16;
    }
}

bool append_integer(std::string& to, std::string_view text) {
    text = trimmed(text);
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
    if (is_negative && text != "0") to += '-';
    to += text;
    return true;
}

bool append_number(std::string& to, std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return false;
    }
    if (!expressions::is_json_number(text)) return false;
    // 1.50 is 1.5, as a number that is made; its digits are all kept.
    if (text.find('.') != std::string_view::npos && text.find_first_of("eE") == std::string_view::npos) {
        const std::size_t point = text.find('.');
        text = text.substr(0, std::max(text.find_last_not_of('0') + 1, point + 2));
    }
    to += text;
    return true;
}

bool append_truth(std::string& to, std::string_view text) {
    const bool holds = text == "true" || text == "1";
    if (!holds && text != "false" && text != "0") return false;
    to += holds ? "true" : "false";
    return true;
}

bool are_same(const json_document& da, const value& a, const json_document& db, const value& b, expressions::arena& memory) {
    if (a.is_number() && b.is_number()) return are_same_numbers(a.view(), b.view());
    if (a.is_text() && b.is_text()) return plain(a, memory) == plain(b, memory);
    if (a.what != b.what) return false;
    if (a.what == kind::boolean) return a.flag == b.flag;
    if (a.what == kind::raw_list) {
        const auto all_a = da.elements_of(a.at, memory), all_b = db.elements_of(b.at, memory);
        return std::ranges::equal(all_a, all_b, [&](const value& x, const value& y) { return are_same(da, x, db, y, memory); });
    }
    if (a.what == kind::raw_object) {
        const auto all_a = da.members_of(a.at, memory), all_b = db.members_of(b.at, memory);
        return all_a.size() == all_b.size() && std::ranges::all_of(all_a, [&](const expressions::member& m) {
                   const auto at = std::ranges::find(all_b, m.key, &expressions::member::key);
                   return at != all_b.end() && are_same(da, m.what, db, at->what, memory);
               });
    }
    return true;  // both are null
}

}  // namespace mqb::core
