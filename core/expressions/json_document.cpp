#include "core/expressions/json_document.hpp"

#include "core/expressions/json_text.hpp"
#include "core/expressions/repeated_keys.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace mqb::core::expressions {

namespace {

constexpr std::size_t usual_size = 1u << 20;
constexpr std::size_t longest_text = 0xffff'fff0u;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool has_escape(std::string_view t) noexcept { return t.find('\\') != std::string_view::npos; }

std::string_view text_of(simdjson::error_code e) noexcept {
    switch (e) {
        case simdjson::EMPTY: return "it is empty";
        case simdjson::UTF8_ERROR: return "it is not UTF-8";
        case simdjson::UNCLOSED_STRING: return "a text in it does not end";
        case simdjson::UNESCAPED_CHARS: return "a text in it has a control character";
        default: return "it cannot be read";
    }
}

}  // namespace

json_document::json_document() = default;
json_document::~json_document() = default;

std::string_view json_document::read(std::string_view text) {
    text_ = text;
    count_ = 0;
    if (text.empty()) return "it is empty";
    if (text.size() > longest_text) return "it is too long";
    if (!parser_ || capacity_ < text.size()) {
        const std::size_t capacity = std::max<std::size_t>(text.size() + text.size() / 4, 4096);
        parser_.reset();
        capacity_ = 0;
        const auto made = simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, deepest, parser_);
        if (made != simdjson::SUCCESS) {
            parser_.reset();
            return "there is no memory to read it";
        }
        capacity_ = capacity;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto found = parser_->stage1(bytes, text.size(), simdjson::stage1_mode::regular);
    if (found != simdjson::SUCCESS) return text_of(found);
    places_ = parser_->structural_indexes.get();
    count_ = parser_->n_structural_indexes;
    if (ends_size_ < count_) {
        const std::size_t size = std::size_t{count_} + count_ / 4;
        ends_.reset(new std::uint32_t[size]);
        ends_size_ = size;
    }
    has_escapes_ = has_escape(text);
    return check();
}

void json_document::shrink() noexcept {
    if (capacity_ <= usual_size) return;
    parser_.reset();
    ends_.reset();
    capacity_ = ends_size_ = 0;
    count_ = 0;
}

// From where a scalar begins to the blanks before the next place.
inline std::string_view json_document::scalar(std::uint32_t place) const noexcept {
    const std::uint32_t from = places_[place];
    std::size_t to = place + 1 < count_ ? places_[place + 1] : text_.size();
    while (is_blank(text_[to - 1])) --to;
    return text_.substr(from, to - from);
}

std::string_view json_document::quoted(std::uint32_t place) const noexcept {
    const std::string_view whole = scalar(place);
    return whole.substr(1, whole.size() - 2);
}

inline bool json_document::is_scalar_good(std::uint32_t place) const noexcept {
    switch (letter(place)) {
        case 't': return scalar(place) == "true";
        case 'f': return scalar(place) == "false";
        case 'n': return scalar(place) == "null";
        default: return is_json_number(scalar(place));
    }
}

std::string_view json_document::check() noexcept {
    constexpr std::string_view broken = "it is no JSON", early = "it ends too early";
    const std::uint32_t* const places = places_;
    const char* const text = text_.data();
    const std::uint32_t count = count_;
    std::uint32_t* const ends = ends_.get();
    const bool has_escapes = has_escapes_;
    std::array<std::uint32_t, deepest> open;
    std::uint32_t depth = 0, i = 0;
    bool in_object = false;
    const auto letter_at = [&](std::uint32_t place) { return text[places[place]]; };
    // From a key to its value.
    const auto passes_key = [&] {
        if (count - i < 3 || letter_at(i) != '"' || letter_at(i + 1) != ':') return false;
        if (has_escapes && !has_good_escapes(quoted(i))) return false;
        i += 2;
        return true;
    };
    for (;;) {
        if (i >= count) return early;
        const char c = letter_at(i);
        if (c == '{' || c == '[') {
            if (depth == deepest) return "its nesting is deeper than 128";
            open[depth++] = i++;
            in_object = c == '{';
            if (i >= count) return early;
            if (letter_at(i) != (in_object ? '}' : ']')) {
                if (in_object && !passes_key()) return broken;
                continue;
            }
        } else {
            if (c == '"' ? has_escapes && !has_good_escapes(quoted(i)) : !is_scalar_good(i)) return broken;
            ++i;
        }
        // Behind a value, or before the end of what is empty.
        for (;;) {
            if (depth == 0) return i == count ? std::string_view{} : "something follows it";
            if (i >= count) return early;
            const char sign = letter_at(i);
            if (sign == ',') {
                ++i;
                if (in_object && !passes_key()) return broken;
                break;
            }
            if (sign != (in_object ? '}' : ']')) return broken;
            ends[open[--depth]] = i++;
            in_object = depth != 0 && letter_at(open[depth - 1]) == '{';
        }
    }
}

value json_document::at(std::uint32_t place) const noexcept {
    value v;
    switch (letter(place)) {
        case '{':
        case '[':
            v.what = letter(place) == '{' ? kind::raw_object : kind::raw_list;
            v.at = place;
            return v;
        case '"': {
            const std::string_view text = quoted(place);
            return value::of(text, has_escapes_ && has_escape(text) ? kind::raw_text : kind::text);
        }
        case 't': return value::of(true);
        case 'f': return value::of(false);
        case 'n': return v;
        default: return value::of(scalar(place), kind::raw_number);
    }
}

std::string_view json_document::raw(std::uint32_t place) const noexcept {
    if (letter(place) != '{' && letter(place) != '[') return scalar(place);
    return text_.substr(places_[place], places_[ends_[place]] + 1 - places_[place]);
}

template <class Visit>
void json_document::each(std::uint32_t container, Visit visit) const {
    const std::uint32_t end = ends_[container], to_value = letter(container) == '{' ? 2 : 0;
    const std::uint32_t* const places = places_;
    const char* const text = text_.data();
    for (std::uint32_t i = container + 1; i < end;) {
        if (!visit(i)) return;
        i += to_value;
        const char c = text[places[i]];
        i = (c == '{' || c == '[' ? ends_[i] : i) + 2;
    }
}

bool json_document::is_escaped_key(std::uint32_t place, std::string_view key) const noexcept {
    const std::string_view raw = quoted(place);
    if (!has_escape(raw)) return raw == key;
    // An escape is never shorter than its character.
    if (raw.size() < key.size() || raw.size() > key.size() * 6) return false;
    char fixed[256];
    if (raw.size() <= sizeof fixed) return std::string_view{fixed, unescape(raw, fixed)} == key;
    std::string longer(raw.size(), '\0');
    longer.resize(unescape(raw, longer.data()));
    return longer == key;
}

value json_document::member_of(std::uint32_t object, std::string_view key) const noexcept {
    std::uint32_t found = 0;
    const char* const text = text_.data();
    each(object, [&](std::uint32_t place) {
        // Without escapes the key's bytes and a quote stand before the colon, or it is another key.
        const std::size_t from = std::size_t{places_[place]} + 1, colon = places_[place + 1];
        const bool is_key = has_escapes_ ? is_escaped_key(place, key)
                                         : from + key.size() < colon && text[from + key.size()] == '"' &&
                                               std::memcmp(text + from, key.data(), key.size()) == 0;
        if (is_key) found = place + 2;
        return true;
    });
    return found == 0 ? value{} : at(found);
}

value json_document::element_of(std::uint32_t list, std::uint64_t index) const noexcept {
    value found;
    each(list, [&](std::uint32_t place) {
        if (index-- != 0) return true;
        found = at(place);
        return false;
    });
    return found;
}

std::span<const value> json_document::elements_of(std::uint32_t list, arena& memory) const {
    std::size_t count = 0;
    each(list, [&](std::uint32_t) { return ++count, true; });
    const std::span<value> out = memory.array<value>(count);
    std::size_t i = 0;
    each(list, [&](std::uint32_t place) { return out[i++] = at(place), true; });
    return out;
}

std::string_view json_document::key_text(std::uint32_t place, arena& memory) const {
    const std::string_view raw = quoted(place);
    if (!has_escapes_ || !has_escape(raw)) return raw;
    const std::span<char> to = memory.array<char>(raw.size());
    return {to.data(), unescape(raw, to.data())};
}

std::span<const member> json_document::members_of(std::uint32_t object, arena& memory) const {
    std::size_t count = 0;
    each(object, [&](std::uint32_t) { return ++count, true; });
    const std::span<member> out = memory.array<member>(count);
    std::size_t i = 0;
    each(object, [&](std::uint32_t place) { return out[i++] = {key_text(place, memory), at(place + 2)}, true; });
    return out.first(without_repeated(out, memory));
}

std::uint32_t json_document::depth(std::uint32_t container) const noexcept {
    std::uint32_t open = 0, most = 0;
    for (std::uint32_t i = container; i <= ends_[container]; ++i) {
        const char c = letter(i);
        if (c == '{' || c == '[') most = std::max(most, ++open);
        if (c == '}' || c == ']') --open;
    }
    return most;
}

bool json_document::has_repeated_keys(std::uint32_t place, arena& memory) const {
    if (letter(place) != '{' && letter(place) != '[') return false;
    std::vector<std::string_view> keys;
    for (std::uint32_t i = place; i < ends_[place]; ++i) {
        if (letter(i) != '{') continue;
        keys.clear();
        each(i, [&](std::uint32_t key) { return keys.push_back(key_text(key, memory)), true; });
        if (keys.size() < 2) continue;
        std::ranges::sort(keys);
        if (std::ranges::adjacent_find(keys) != keys.end()) return true;
    }
    return false;
}

}  // namespace mqb::core::expressions
