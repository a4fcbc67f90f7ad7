// json_document: a JSON text that was checked as a whole, and where its values stand; nothing is copied. One thread; used again and again.
//
// simdjson finds the places of all brackets, commas, colons and first letters of scalars, and checks UTF-8 and quotes; what is built on
// it here needs no padding behind the text, bounds the nesting, never recurses, and reads any value any number of times. Where a key
// repeats in an object, the last one is the member.
#pragma once

#include "core/expressions/arena.hpp"
#include "core/expressions/value.hpp"

#include <cstdint>
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
    // As it stands in the text.
    [[nodiscard]] std::string_view raw(std::uint32_t place) const noexcept;
    // The member of an object, the element of a list; a null where there is none.
    [[nodiscard]] value member_of(std::uint32_t object, std::string_view key) const noexcept;
    [[nodiscard]] value element_of(std::uint32_t list, std::uint64_t index) const noexcept;
    [[nodiscard]] std::span<const value> elements_of(std::uint32_t list, arena& memory) const;
    // How many places a list or an object takes.
    [[nodiscard]] std::uint32_t extent(std::uint32_t container) const noexcept { return ends_[container] - container; }
    // How deep lists and objects stand in each other; 1: nothing of the kind is inside.
    [[nodiscard]] std::uint32_t depth(std::uint32_t container) const noexcept;
    // Each key once.
    [[nodiscard]] std::span<const member> members_of(std::uint32_t object, arena& memory) const;
    // Whether an object in the value, at any depth, has a key twice.
    [[nodiscard]] bool has_repeated_keys(std::uint32_t place, arena& memory) const;

private:
    [[nodiscard]] std::string_view check() noexcept;
    [[nodiscard]] std::string_view scalar(std::uint32_t place) const noexcept;
    [[nodiscard]] std::string_view quoted(std::uint32_t place) const noexcept;
    [[nodiscard]] bool is_scalar_good(std::uint32_t place) const noexcept;
    [[nodiscard]] char letter(std::uint32_t place) const noexcept { return place < count_ ? text_[places_[place]] : '\0'; }
    [[nodiscard]] bool is_escaped_key(std::uint32_t place, std::string_view key) const noexcept;
    [[nodiscard]] std::string_view key_text(std::uint32_t place, arena& memory) const;
    // Calls with the place of each value (of its key, in an object) until that answers false.
    template <class Visit>
    void each(std::uint32_t container, Visit visit) const;

    std::string_view text_;
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser_;
    const std::uint32_t* places_ = nullptr;
    std::uint32_t count_ = 0;
    std::size_t capacity_ = 0;
    std::unique_ptr<std::uint32_t[]> ends_;  // of each opening bracket: the place of its closing one
    std::size_t ends_size_ = 0;
    bool has_escapes_ = false;
};

}  // namespace mqb::core::expressions
