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

constexpr std::string_view broken = "it is no JSON", ends_early = "it ends too early";
constexpr std::size_t usual_size = 1u << 20;
constexpr std::size_t longest_text = 0xffff'fff0u;

bool has_escape(std::string_view t) noexcept { return t.find('\\') != std::string_view::npos; }

// What begins with the letter and is no text.
inline bool is_scalar_good(char letter, std::string_view scalar) noexcept {
    switch (letter) {
        case 't': return scalar == "true";
        case 'f': return scalar == "false";
        case 'n': return scalar == "null";
        default: return is_json_number(scalar);
    }
}

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
        ends_size_ = 0;
        ends_.reset(new std::uint32_t[size]);
        top_keys_.reset(new std::uint32_t[size]);
        ends_size_ = size;
    }
    const std::size_t first_escape = text.find('\\');
    has_escapes_ = first_escape != std::string_view::npos;
    has_escaped_keys_ = false;
    top_count_ = 0;
    // One that stands in no text is part of what is no scalar.
    if (!has_escapes_) return check<false>(first_escape);
    return has_good_escapes(text.substr(first_escape)) ? check<true>(first_escape) : broken;
}

void json_document::shrink() noexcept {
    if (capacity_ <= usual_size) return;
    parser_.reset();
    ends_.reset();
    top_keys_.reset();
    capacity_ = ends_size_ = 0;
    count_ = top_count_ = 0;
}

// escape: the first one in the text; none: npos.
template <bool has_escapes>
std::string_view json_document::check(std::size_t escape) noexcept {
    const char* const text = text_.data();
    const std::uint32_t *const first = places_, *const end = first + count_;
    std::uint32_t *const ends = ends_.get(), *const top_keys = top_keys_.get();
    std::uint32_t depth = 0, top_count = 0;
    std::array<std::uint32_t, deepest> open;
    bool in_object = false;
    const auto place_of = [first](const std::uint32_t* p) { return static_cast<std::uint32_t>(p - first); };
    for (const std::uint32_t* at = first;;) {
        // At a value, in an object at the key before it.
        if (in_object) {
            if (end - at < 3 || ((text[at[0]] ^ '"') | (text[at[1]] ^ ':')) != 0) return broken;
            if constexpr (has_escapes) {
                if (escape < at[0]) escape = text_.find('\\', at[0]);
                if (escape < at[1]) has_escaped_keys_ = true;
            }
            top_keys[top_count] = place_of(at);
            top_count += depth == 1 ? 1 : 0;
            at += 2;
        } else if (at == end) {
            return ends_early;
        }
        const char c = text[*at];
        if (c == '{' || c == '[') {
            if (depth == deepest) return "its nesting is deeper than 128";
            open[depth++] = place_of(at++);
            in_object = c == '{';
            if (at == end) return ends_early;
            if (text[*at] != (in_object ? '}' : ']')) continue;
        } else {
            if (c != '"' && !is_scalar_good(c, scalar(place_of(at)))) return broken;
            ++at;
        }
        // Behind a value, or before the end of what is empty.
        for (;;) {
            if (depth == 0) {
                top_count_ = top_count;
                return at == end ? std::string_view{} : "something follows it";
            }
            if (at == end) return ends_early;
            const char sign = text[*at++];
            if (sign == ',') break;
            if (sign != (in_object ? '}' : ']')) return broken;
            ends[open[--depth]] = place_of(at - 1);
            in_object = depth != 0 && text[first[open[depth - 1]]] == '{';
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

std::uint32_t json_document::place_of_member(std::uint32_t object, std::string_view key) const noexcept {
    if (object == 0) {
        // Most keys begin with another letter; of an empty one the quote behind it stands there.
        const char first = key.empty() ? '"' : key.front();
        for (std::uint32_t i = top_count_; i-- > 0;) {
            const std::uint32_t place = top_keys_[i];
            if ((text_[places_[place] + 1] == first || has_escaped_keys_) && is_key(place, key)) return place + 2;
        }
        return 0;
    }
    std::uint32_t found = 0;
    each(object, [&](std::uint32_t place) {
        if (is_key(place, key)) found = place + 2;
        return true;
    });
    return found;
}

std::uint32_t json_document::place_of_element(std::uint32_t list, std::uint64_t index) const noexcept {
    std::uint32_t found = 0;
    each(list, [&](std::uint32_t place) {
        if (index-- != 0) return true;
        found = place;
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
    if (!has_escaped_keys_ || !has_escape(raw)) return raw;
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
        if (letter(i) != '{' || !may_repeat_keys(i)) continue;
        keys.clear();
        each(i, [&](std::uint32_t key) { return keys.push_back(key_text(key, memory)), true; });
        if (keys.size() < 2) continue;
        std::ranges::sort(keys);
        if (std::ranges::adjacent_find(keys) != keys.end()) return true;
    }
    return false;
}

// False: no two keys of the object are the same, by a few of their bytes. Most objects are small, and end here.
bool json_document::may_repeat_keys(std::uint32_t object) const noexcept {
    constexpr std::size_t bits = 1024;
    std::array<std::uint64_t, bits / 64> seen{};
    bool may = false;
    each(object, [&](std::uint32_t key) {
        const std::string_view raw = quoted(key);
        std::uint64_t mixed = raw.size();
        if (raw.size() >= 8) {
            std::uint64_t first, last;
            std::memcpy(&first, raw.data(), 8);
            std::memcpy(&last, raw.data() + raw.size() - 8, 8);
            mixed ^= first ^ last * 31;
        } else {
            for (const char c : raw) mixed = mixed * 257 + static_cast<unsigned char>(c);
        }
        const std::uint64_t bit = (mixed * 0x9e37'79b9'7f4a'7c15) >> 54;
        may = (has_escaped_keys_ && has_escape(raw)) || (seen[bit / 64] >> (bit % 64) & 1) != 0;
        seen[bit / 64] |= std::uint64_t{1} << (bit % 64);
        return !may;
    });
    return may;
}

void json_document::append(std::string& to, const value& v, arena& memory) const {
    const auto write_all = [&to](char open, char close, const auto& all, auto one) {
        to += open;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i != 0) to += ',';
            one(all[i]);
        }
        to += close;
    };
    switch (v.what) {
        case kind::null: to += "null"; break;
        case kind::boolean: to += v.flag ? "true" : "false"; break;
        case kind::raw_list:
        case kind::raw_object:
            if (!has_repeated_keys(v.at, memory)) {
                to += raw(v.at);
            } else if (v.what == kind::raw_list) {
                write_all('[', ']', elements_of(v.at, memory), [&](const value& e) { append(to, e, memory); });
            } else {
                write_all('{', '}', members_of(v.at, memory), [&](const member& m) {
                    append_json(to, m.key);
                    to += ':';
                    append(to, m.what, memory);
                });
            }
            break;
        case kind::raw_number: to += v.view(); break;
        default: to.append(1, '"').append(v.view()).append(1, '"'); break;  // a text, whose escapes are those of the document
    }
}

}  // namespace mqb::core::expressions
