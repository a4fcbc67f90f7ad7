// value: what an expression works with. Small, copied freely; what it points to is the payload's, the program's or an arena's.
#pragma once

#include "core/expressions/decimal.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mqb::core::expressions {

// The raw ones stand in the payload as they came and are written as they came.
enum class kind : std::uint8_t { null, boolean, number, text, list, object, range, date, raw_number, raw_text, raw_list, raw_object };

struct member;

struct value {
    kind what = kind::null;
    bool flag = false;     // boolean: true; range: both ends belong to it; date: there is such a moment
    std::uint32_t at = 0;  // raw_list, raw_object: where in the document

    struct characters {
        const char* data;
        std::size_t size;
    };
    struct elements {
        const value* data;
        std::size_t size;
    };
    struct members {
        const member* data;
        std::size_t size;
    };
    struct moment {
        std::int64_t time;  // milliseconds since 1970 in UTC
        const void* zone;   // dates.hpp
    };
    union {
        decimal number{};
        characters text;  // text; raw_number and raw_text as in JSON, without quotes
        elements items;   // list; range: its two ends
        members entries;  // object, in its order, each key once
        moment date;
    };

    [[nodiscard]] std::string_view view() const noexcept { return {text.data, text.size}; }
    [[nodiscard]] std::span<const value> elements_view() const noexcept { return {items.data, items.size}; }
    [[nodiscard]] std::span<const member> members_view() const noexcept;

    [[nodiscard]] bool is_null() const noexcept { return what == kind::null; }
    [[nodiscard]] bool is_number() const noexcept { return what == kind::number || what == kind::raw_number; }
    [[nodiscard]] bool is_text() const noexcept { return what == kind::text || what == kind::raw_text; }
    [[nodiscard]] bool is_list() const noexcept { return what == kind::list || what == kind::raw_list; }
    [[nodiscard]] bool is_object() const noexcept { return what == kind::object || what == kind::raw_object; }

    [[nodiscard]] static value of(bool b) noexcept {
        value v;
        v.what = kind::boolean;
        v.flag = b;
        return v;
    }
    [[nodiscard]] static value of(const decimal& d) noexcept {
        value v;
        v.what = kind::number;
        v.number = d;
        return v;
    }
    [[nodiscard]] static value of(std::string_view t, kind k = kind::text) noexcept {
        value v;
        v.what = k;
        v.text = {t.data(), t.size()};
        return v;
    }
    [[nodiscard]] static value of(std::span<const value> all) noexcept {
        value v;
        v.what = kind::list;
        v.items = {all.data(), all.size()};
        return v;
    }
    [[nodiscard]] static value of(std::span<const member> all) noexcept {
        value v;
        v.what = kind::object;
        v.entries = {all.data(), all.size()};
        return v;
    }
    [[nodiscard]] static value of(moment m, bool is_valid = true) noexcept {
        value v;
        v.what = kind::date;
        v.flag = is_valid;
        v.date = m;
        return v;
    }
};

struct member {
    std::string_view key;
    value what;
};

inline std::span<const member> value::members_view() const noexcept { return {entries.data, entries.size}; }

// As `type()` says it.
[[nodiscard]] constexpr std::string_view type_name(kind k) noexcept {
    switch (k) {
        case kind::null: return "null";
        case kind::boolean: return "bool";
        case kind::number:
        case kind::raw_number: return "number";
        case kind::text:
        case kind::raw_text: return "string";
        case kind::list:
        case kind::raw_list: return "array";
        case kind::object:
        case kind::raw_object: return "object";
        case kind::range: return "range";
        case kind::date: return "date";
    }
    return "";
}

}  // namespace mqb::core::expressions
