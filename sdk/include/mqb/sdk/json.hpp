// json: a strict, bounded reader of JSON text into a small tree. Numbers keep their text, objects keep their order.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::sdk {

class json_error : public std::runtime_error {
public:
    json_error(const std::string& what, std::size_t at) : std::runtime_error(what + " at byte " + std::to_string(at)), offset(at) {}
    std::size_t offset;
};

enum class json_kind : std::uint8_t { null, boolean, number, text, array, object };

inline constexpr const char* name_of(json_kind kind) noexcept {
    constexpr const char* names[] = {"null", "a boolean", "a number", "text", "an array", "an object"};
    return names[static_cast<int>(kind)];
}

struct json_member;

// One value. Threads: plain data.
struct json_value {
    json_kind kind = json_kind::null;
    bool boolean = false;
    std::string text;                  // text: decoded; number: as it was written
    std::vector<json_value> items;     // array
    std::vector<json_member> members;  // object; no key comes twice

    bool is(json_kind wanted) const noexcept { return kind == wanted; }
    const json_value* find(std::string_view key) const noexcept;
    // The number, if it is one without fraction or exponent and fits.
    template <class Integer>
    std::optional<Integer> as_integer() const noexcept {
        Integer out{};
        const char* end = text.data() + text.size();
        if (kind != json_kind::number) return {};
        const auto [at, error] = std::from_chars(text.data(), end, out);
        return error == std::errc() && at == end ? std::optional(out) : std::nullopt;
    }
    std::optional<double> as_double() const noexcept {
        double out{};
        const char* end = text.data() + text.size();
        if (kind != json_kind::number) return {};
        const auto [at, error] = std::from_chars(text.data(), end, out);
        return error == std::errc() && at == end ? std::optional(out) : std::nullopt;
    }
};

struct json_member {
    std::string name;
    json_value value;
};

inline const json_value* json_value::find(std::string_view key) const noexcept {
    for (const json_member& member : members)
        if (member.name == key) return &member.value;
    return nullptr;
}

struct json_limits {
    std::size_t bytes = 16u << 20;
    std::size_t values = 1u << 14;  // finding a repeated key is quadratic
    int depth = 64;
};

namespace detail {

// Reads RFC 8259 text that is UTF-8, without leniency: no comment, no trailing comma, no lone surrogate, no key twice.
class json_reader {
public:
    json_reader(std::string_view text, json_limits limits) : text_(text), limits_(limits) {
        if (text.size() > limits.bytes) fail("longer than the limit");
    }
    json_value document() {
        json_value out;
        read(out, 0);
        skip();
        if (at_ != text_.size()) fail("something follows the value");
        return out;
    }

private:
    [[noreturn]] void fail(const char* what) const { throw json_error(what, at_); }
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    bool take(char wanted) noexcept {
        skip();
        if (peek() != wanted || at_ == text_.size()) return false;
        return ++at_, true;
    }
    void expect(char wanted, const char* what) {
        if (!take(wanted)) fail(what);
    }
    bool word(std::string_view wanted) noexcept {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        return at_ += wanted.size(), true;
    }

    void read(json_value& out, int depth) {
        if (depth > limits_.depth) fail("nested too deeply");
        if (++values_ > limits_.values) fail("too many values");
        skip();
        switch (peek()) {
            case '{': return read_object(out, depth);
            case '[': return read_array(out, depth);
            case '"': return out.kind = json_kind::text, read_text(out.text);
            default: break;
        }
        if (word("null")) return;
        if (word("true") || word("false")) {
            out.kind = json_kind::boolean;
            out.boolean = text_[at_ - 2] == 'u';
            return;
        }
        read_number(out);
    }

    void read_object(json_value& out, int depth) {
        out.kind = json_kind::object;
        ++at_;
        if (take('}')) return;
        do {
            skip();
            if (peek() != '"') fail("a key was expected");
            std::string key;
            read_text(key);
            if (out.find(key)) fail("a key that is already there");
            expect(':', "a colon was expected");
            out.members.push_back({std::move(key), {}});
            read(out.members.back().value, depth + 1);
        } while (take(','));
        expect('}', "a comma or } was expected");
    }

    void read_array(json_value& out, int depth) {
        out.kind = json_kind::array;
        ++at_;
        if (take(']')) return;
        do {
            out.items.emplace_back();
            read(out.items.back(), depth + 1);
        } while (take(','));
        expect(']', "a comma or ] was expected");
    }

    static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    void digits() {
        if (!is_digit(peek())) fail("a value was expected");
        while (is_digit(peek())) ++at_;
    }
    void read_number(json_value& out) {
        const std::size_t from = at_;
        if (peek() == '-') ++at_;
        if (peek() == '0')
            ++at_;
        else
            digits();
        if (peek() == '.') ++at_, digits();
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            digits();
        }
        out.kind = json_kind::number;
        out.text = text_.substr(from, at_ - from);
    }

    void read_text(std::string& out) {
        ++at_;
        for (;;) {
            if (at_ == text_.size()) fail("text without end");
            const unsigned char c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') return void(++at_);
            if (c < 0x20) fail("a control character in text");
            if (c == '\\')
                read_escape(out);
            else if (c < 0x80)
                out += text_[at_++];
            else
                read_utf8(out);
        }
    }
    void read_escape(std::string& out) {
        static constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
        ++at_;
        const char c = peek();
        if (const std::size_t known = names.find(c); c != '\0' && known != names.npos) {
            ++at_;
            out += values[known];
            return;
        }
        if (c != 'u') fail("an unknown escape");
        ++at_;
        std::uint32_t code = four_hex();
        if (code >= 0xdc00 && code < 0xe000) fail("half of a surrogate pair");
        if (code >= 0xd800 && code < 0xdc00) {
            if (!word("\\u")) fail("half of a surrogate pair");
            const std::uint32_t low = four_hex();
            if (low < 0xdc00 || low >= 0xe000) fail("half of a surrogate pair");
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        put_utf8(out, code);
    }
    std::uint32_t four_hex() {
        std::uint32_t code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            const int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
            if (digit < 0) fail("four hex digits were expected");
            code = code << 4 | static_cast<std::uint32_t>(digit);
        }
        return code;
    }
    static void put_utf8(std::string& out, std::uint32_t code) {
        const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
        if (code < 0x80) return put(code);
        if (code < 0x800) return put(0xc0 | code >> 6), put(0x80 | (code & 63));
        if (code < 0x10000) return put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
        put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 63)), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
    }
    void read_utf8(std::string& out) {
        const auto byte = [&](std::size_t i) -> std::uint32_t {
            return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0;
        };
        const std::uint32_t first = byte(0);
        const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        std::uint32_t code = first & (size == 4 ? 7u : size == 3 ? 15u : 31u);
        bool good = first >= 0xc2 && first <= 0xf4;
        for (std::size_t i = 1; i < size; ++i) {
            good = good && (byte(i) & 0xc0) == 0x80;
            code = code << 6 | (byte(i) & 63);
        }
        good = good && code >= (size == 4 ? 0x10000u : size == 3 ? 0x800u : 0x80u) && code <= 0x10ffff;
        if (!good || (code >= 0xd800 && code < 0xe000)) fail("not UTF-8");
        out.append(text_, at_, size);
        at_ += size;
    }

    std::string_view text_;
    json_limits limits_;
    std::size_t at_ = 0, values_ = 0;
};

}  // namespace detail

// Throws json_error.
inline json_value parse_json(std::string_view text, json_limits limits = {}) { return detail::json_reader(text, limits).document(); }

// Appends `text` as a JSON string; the text must be UTF-8.
inline void append_json_text(std::string& to, std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    to += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\')
            to += '\\', to += c;
        else if (static_cast<unsigned char>(c) >= 0x20)
            to += c;
        else if (c == '\n')
            to += "\\n";
        else if (c == '\t')
            to += "\\t";
        else if (c == '\r')
            to += "\\r";
        else
            to += "\\u00", to += hex[c >> 4 & 15], to += hex[c & 15];
    }
    to += '"';
}

}  // namespace mqb::sdk
