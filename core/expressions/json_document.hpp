// json_document: a JSON text that was checked as a whole, and where its values stand; nothing is copied. One thread; used again and again.
//
// simdjson finds the places of all brackets, commas, colons and first letters of scalars, and checks UTF-8 and quotes; what is built on
// it here needs no padding behind the text, bounds the nesting, never recurses, and reads any value any number of times. Where a key
// repeats in an object, the last one is the member.
#pragma once

#include "core/expressions/arena.hpp"
#include "core/expressions/value.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace simdjson::internal {
class dom_parser_implementation;
}

namespace mqb::core::expressions {

class json_document {
public:
    static constexpr std::uint32_t deepest = 128;

    json_document();
    ~json_document();
    json_document(const json_document&) = delete;
    json_document& operator=(const json_document&) = delete;

    // Empty, or what is wrong with it. The text outlives what is read from it.
    [[nodiscard]] std::string_view read(std::string_view text);
    // What a very long text needed is not kept.
    void shrink() noexcept;

    // The value at a place; the whole one stands at 0.
    [[nodiscard]] value at(std::uint32_t place) const noexcept;
    [[nodiscard]] bool is_object(std::uint32_t place) const noexcept { return letter(place) == '{'; }
    [[nodiscard]] bool is_list(std::uint32_t place) const noexcept { return letter(place) == '['; }
    // As it stands in the text.
    [[nodiscard]] std::string_view raw(std::uint32_t place) const noexcept;
    // Where the member of an object, the element of a list stands; 0: there is none.
    [[nodiscard]] std::uint32_t place_of_member(std::uint32_t object, std::string_view key) const noexcept;
    [[nodiscard]] std::uint32_t place_of_element(std::uint32_t list, std::uint64_t index) const noexcept;
    // The same as values; a null where there is none.
    [[nodiscard]] value member_of(std::uint32_t object, std::string_view key) const noexcept {
        const std::uint32_t found = place_of_member(object, key);
        return found == 0 ? value{} : at(found);
    }
    [[nodiscard]] value element_of(std::uint32_t list, std::uint64_t index) const noexcept {
        const std::uint32_t found = place_of_element(list, index);
        return found == 0 ? value{} : at(found);
    }
    [[nodiscard]] std::span<const value> elements_of(std::uint32_t list, arena& memory) const;
    // Calls `visit` with the place of each element of a list; with those of the key and of the value of each member of an object, keys that
    // repeat as often as they stand there.
    template <class Visit>
    void each_element(std::uint32_t list, Visit visit) const {
        each(list, [&](std::uint32_t place) { return visit(place), true; });
    }
    template <class Visit>
    void each_member(std::uint32_t object, Visit visit) const {
        each(object, [&](std::uint32_t place) { return visit(place, place + 2), true; });
    }
    // Of the key of a member.
    [[nodiscard]] bool is_key(std::uint32_t place, std::string_view key) const noexcept {
        if (has_escaped_keys_) return is_escaped_key(place, key);
        // Without escapes the key's bytes and a quote stand before the colon, or it is another key.
        const std::size_t from = std::size_t{places_[place]} + 1, colon = places_[place + 1];
        return from + key.size() < colon && text_[from + key.size()] == '"' && are_same(text_.data() + from, key.data(), key.size());
    }
    // How many places a list or an object takes.
    [[nodiscard]] std::uint32_t extent(std::uint32_t container) const noexcept { return ends_[container] - container; }
    // How deep lists and objects stand in each other; 1: nothing of the kind is inside.
    [[nodiscard]] std::uint32_t depth(std::uint32_t container) const noexcept;
    // Each key once.
    [[nodiscard]] std::span<const member> members_of(std::uint32_t object, arena& memory) const;
    // Whether an object in the value, at any depth, has a key twice.
    [[nodiscard]] bool has_repeated_keys(std::uint32_t place, arena& memory) const;
    // A value of this document as JSON: byte for byte as it stands there, unless a key repeats in it: what is read is what is written.
    void append(std::string& to, const value& v, arena& memory) const;
    void append(std::string& to, std::uint32_t place, arena& memory) const {
        if (is_object(place) || is_list(place))
            append(to, at(place), memory);
        else
            to += scalar(place);
    }

private:
    // Keys are short: a call costs more than the comparison.
    [[nodiscard]] static bool are_same(const char* a, const char* b, std::size_t size) noexcept {
        const auto differ = [&]<class Word>(std::size_t at, Word) {
            Word x, y;
            std::memcpy(&x, a + at, sizeof x);
            std::memcpy(&y, b + at, sizeof y);
            return x != y;
        };
        if (size >= 8) {
            for (std::size_t at = 0; at < size - 8; at += 8)
                if (differ(at, std::uint64_t{})) return false;
            return !differ(size - 8, std::uint64_t{});
        }
        if (size >= 4) return !differ(0, std::uint32_t{}) && !differ(size - 4, std::uint32_t{});
        if (size >= 2) return !differ(0, std::uint16_t{}) && a[size - 1] == b[size - 1];
        return size == 0 || *a == *b;
    }
    template <bool has_escapes>
    [[nodiscard]] std::string_view check(std::size_t escape) noexcept;
    [[nodiscard]] bool may_repeat_keys(std::uint32_t object) const noexcept;
    // From where a scalar begins to the blanks before the next place.
    [[nodiscard]] std::string_view scalar(std::uint32_t place) const noexcept {
        const std::uint32_t from = places_[place];
        std::size_t to = place + 1 < count_ ? places_[place + 1] : text_.size();
        while (is_blank(text_[to - 1])) --to;
        return text_.substr(from, to - from);
    }
    [[nodiscard]] std::string_view quoted(std::uint32_t place) const noexcept {
        const std::string_view whole = scalar(place);
        return whole.substr(1, whole.size() - 2);
    }
    [[nodiscard]] static bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    [[nodiscard]] std::string_view key_text(std::uint32_t place, arena& memory) const;
    [[nodiscard]] char letter(std::uint32_t place) const noexcept { return place < count_ ? text_[places_[place]] : '\0'; }
    [[nodiscard]] bool is_escaped_key(std::uint32_t place, std::string_view key) const noexcept;
    // Calls with the place of each value (of its key, in an object) until that answers false.
    template <class Visit>
    void each(std::uint32_t container, Visit visit) const {
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

    std::string_view text_;
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser_;
    const std::uint32_t* places_ = nullptr;
    std::uint32_t count_ = 0;
    std::size_t capacity_ = 0;
    std::unique_ptr<std::uint32_t[]> ends_;      // of each opening bracket: the place of its closing one
    std::unique_ptr<std::uint32_t[]> top_keys_;  // places of the keys of the whole value, where that is an object
    std::uint32_t top_count_ = 0;
    std::size_t ends_size_ = 0;  // of both
    bool has_escapes_ = false;
    bool has_escaped_keys_ = false;
};

}  // namespace mqb::core::expressions
