#include "core/expressions/code.hpp"
#include "core/expressions/functions.hpp"
#include "core/expressions/json_text.hpp"

#include <re2/re2.h>

namespace mqb::core::expressions {

namespace {

std::string_view sign_of(op what) noexcept {
    switch (what) {
        case op::add: return " + ";
        case op::subtract: return " - ";
        case op::multiply: return " * ";
        case op::divide: return " / ";
        case op::remainder: return " % ";
        case op::power: return " ^ ";
        case op::and_: return " and ";
        case op::or_: return " or ";
        case op::equal: return " == ";
        case op::not_equal: return " != ";
        case op::less: return " < ";
        case op::at_most: return " <= ";
        case op::greater: return " > ";
        case op::at_least: return " >= ";
        case op::in: return " in ";
        case op::not_in: return " not in ";
        case op::coalesce: return " ?? ";
        default: return ", ";
    }
}

bool is_name(std::string_view text) noexcept {
    if (text.empty() || text == "meta") return false;
    for (const char c : text) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (c < '0' || c > '9' || &c == text.data())) return false;
    }
    for (const std::string_view word : {"and", "or", "not", "in", "true", "false", "null"})
        if (text == word) return false;
    return true;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            constexpr char digits[] = "0123456789abcdef";
            out += std::string{"\\u00"} + digits[c >> 4] + digits[c & 15];
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string key_text(std::string_view key) { return is_name(key) ? std::string{key} : quoted(key); }

std::string constant_text(const value& v) {
    std::string out;
    switch (v.what) {
        case kind::null: return "null";
        case kind::boolean: return v.flag ? "true" : "false";
        case kind::number: {
            char text[decimal_text_size];
            decimal plain = v.number;
            plain.is_negative = false;
            out.assign(text, write_decimal(plain, text));
            return v.number.is_negative ? "(-" + out + ")" : out;
        }
        case kind::text: return quoted(v.view());
        case kind::list:
            for (const value& e : v.elements_view()) out += (out.empty() ? "" : ", ") + constant_text(e);
            return "[" + out + "]";
        case kind::object:
            for (const member& m : v.members_view()) out += (out.empty() ? "" : ", ") + key_text(m.key) + ": " + constant_text(m.what);
            return "{" + out + "}";
        case kind::range: {
            out = constant_text(v.items.data[0]) + ".." + constant_text(v.items.data[1]);
            return v.flag ? "[" + out + "]" : "(" + out + ")";
        }
        default: return "null";
    }
}

struct printer {
    const code& c;

    [[nodiscard]] std::string kid(const node& n, std::size_t i) const { return text(c.nodes[c.kids_of(n)[i]]); }
    [[nodiscard]] std::string all(const node& n, std::size_t from, std::string_view between) const {
        std::string out;
        for (std::size_t i = from; i < n.count; ++i) {
            if (i != from) out += between;
            out += kid(n, i);
        }
        return out;
    }
    [[nodiscard]] std::string object(const node& n) const {
        std::string out;
        for (std::size_t i = 0; i < n.count; ++i) out += (i == 0 ? "" : ", ") + key_text(c.names[n.data + i]) + ": " + kid(n, i);
        return "{" + out + "}";
    }
    [[nodiscard]] std::string joined(const node& n) const {
        std::string out;
        for (std::size_t i = 0; i < n.count; ++i) out += "${" + kid(n, i) + "}";
        return "`" + out + "`";
    }
    [[nodiscard]] std::string text(const node& n) const {
        switch (n.what) {
            case op::constant: return constant_text(c.constants[n.data]);
            case op::field: return c.fields[n.data].text();
            case op::metadata: return "meta[" + quoted(c.metadata[n.data]) + "]";
            case op::root: return "$root";
            case op::element: return "#";
            case op::local: return c.locals[n.data];
            case op::assign: return c.locals[n.data] + " = " + kid(n, 0);
            case op::sequence: return all(n, 0, "; ");
            case op::member: return kid(n, 0) + "[" + quoted(c.names[n.data]) + "]";
            case op::index: return kid(n, 0) + "[" + kid(n, 1) + "]";
            case op::slice: return kid(n, 0) + "[" + kid(n, 1) + ":" + kid(n, 2) + "]";
            case op::list: return "[" + all(n, 0, ", ") + "]";
            case op::object: return object(n);
            case op::range: return (n.data == 0 ? "[" : "(") + all(n, 0, "..") + (n.data == 0 ? "]" : ")");
            case op::negate: return (n.data == 1 ? "(+" : "(-") + kid(n, 0) + ")";
            case op::not_: return "(not " + kid(n, 0) + ")";
            case op::conditional: return "(" + kid(n, 0) + " ? " + kid(n, 1) + " : " + kid(n, 2) + ")";
            case op::join: return joined(n);
            case op::call: return std::string{all_functions()[n.data].name} + "(" + all(n, 0, ", ") + ")";
            case op::match: return (n.flag ? "extract(" : "matches(") + all(n, 0, ", ") + ")";
            case op::closure: return std::string{name_of(static_cast<closure>(n.data))} + "(" + all(n, 0, ", ") + ")";
            case op::method: return kid(n, 0) + "." + std::string{date_methods()[n.data].name} + "(" + all(n, 1, ", ") + ")";
            default: return "(" + all(n, 0, sign_of(n.what)) + ")";
        }
    }
};

}  // namespace

std::string path::text() const {
    std::string out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (const auto* index = std::get_if<std::uint32_t>(&steps[i])) {
            out += (i == 0 ? "$root[" : "[") + std::to_string(*index) + "]";
            continue;
        }
        const auto& key = std::get<std::string>(steps[i]);
        if (is_name(key)) {
            out += (i == 0 ? "" : ".") + key;
        } else {
            out += (i == 0 ? "$root[" : "[") + quoted(key) + "]";
        }
    }
    return out;
}

std::string program::text() const { return printer{*code_}.text(code_->nodes[code_->start]); }

}  // namespace mqb::core::expressions
