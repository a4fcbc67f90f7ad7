// machine: one evaluation of a program. It throws mistakes, and arena::exhausted; evaluator ends both. One thread.
#pragma once

#include "core/expressions/code.hpp"
#include "core/expressions/json_document.hpp"
#include "core/expressions/metadata_value.hpp"
#include "core/message.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mqb::core::expressions {

struct function;

// What is read of a message.
struct subject {
    buffer payload;
    buffer metadata;
};

// What evaluations use again: its memory stays between them.
struct workspace {
    // More than one evaluation of a sane expression takes.
    static constexpr std::size_t most_memory = 64u << 20;
    static constexpr std::uint64_t most_steps = 10'000'000;

    struct slot {
        value what;
        std::uint64_t evaluation = 0;  // the one that read it
    };

    explicit workspace(std::size_t bytes = most_memory, std::uint64_t steps = most_steps) : memory(bytes), step_limit(steps) {}

    arena memory;
    std::uint64_t step_limit;
    json_document document;
    std::vector<slot> fields, metadata;
    std::vector<value> locals;
    std::uint64_t evaluation = 0;
};

class machine {
public:
    machine(const code& c, workspace& work, const subject* of) noexcept : code_(c), work_(work), of_(of) {}

    [[nodiscard]] value run(std::uint32_t at) {
        const node& n = code_.nodes[at];
        spend(n, 1);
        if (n.what == op::constant) return code_.constants[n.data];
        return n.what == op::field ? field(n) : work_out(n);
    }

    // For functions.
    [[noreturn]] void fail(const node& at, std::string text) const;
    [[nodiscard]] bool is_filter() const noexcept { return code_.meant_for == purpose::filter; }
    [[nodiscard]] arena& memory() noexcept { return work_.memory; }
    [[nodiscard]] std::string_view text_of(const value& text);
    [[nodiscard]] decimal number_of(const node& at, const value& number);
    // What a text, or a number of the payload, is as a number.
    [[nodiscard]] reading read_number(const node& at, std::string_view text, decimal& out);
    // Of a list, or of a range of whole numbers.
    [[nodiscard]] std::span<const value> elements_of(const node& at, const value& list);
    [[nodiscard]] std::span<const member> members_of(const value& object);
    [[nodiscard]] bool are_equal(const node& at, const value& a, const value& b);
    // Both are numbers, or both are dates.
    [[nodiscard]] int order(const node& at, const value& a, const value& b);
    // Counts work that grows with the message.
    void spend(const node& at, std::uint64_t steps) {
        steps_ += steps;
        if (steps_ > work_.step_limit) takes_too_long(at);
    }
    void append_json(std::string& to, const value& v);
    [[nodiscard]] std::string text_form(const node& at, const value& v);
    [[nodiscard]] std::string described(const node& n) const;

    // While it lives, the machine is one step deeper in a value; a mistake where that is deeper than a payload may be.
    class deeper {
    public:
        deeper(machine& by, const node& at) : by_(by) {
            if (++by.depth_ > json_document::deepest) by.too_deep(at);
        }
        ~deeper() { --by_.depth_; }
        deeper(const deeper&) = delete;
        deeper& operator=(const deeper&) = delete;

    private:
        machine& by_;
    };

private:
    [[nodiscard]] value work_out(const node& n);
    [[nodiscard]] value kid(const node& n, std::size_t i) { return run(code_.kids_of(n)[i]); }
    [[nodiscard]] const node& kid_node(const node& n, std::size_t i) const { return code_.nodes[code_.kids_of(n)[i]]; }
    // A null where something else is needed: null in a filter, an error in a transform.
    [[nodiscard]] value no_value(const node& n, std::size_t i) const;
    [[nodiscard]] bool truth(const node& n, std::size_t i, std::string_view of);

    [[noreturn]] void cannot_be_written(std::string why) const;
    [[noreturn]] void too_deep(const node& at) const;
    [[noreturn]] void takes_too_long(const node& at) const;
    void check_depth_of(const value& raw) const;
    [[nodiscard]] std::string date_form(const value& date) const;
    value field(const node& n);
    value metadata(const node& n);
    value follow(const node& n, const path& p);
    std::uint32_t place_of_member(const node& n, std::uint32_t object, std::string_view key);
    value member_of(const node& n, const value& of, std::string_view key);
    value element_of(const node& n, const value& of, std::uint64_t index);
    value index(const node& n);
    value slice(const node& n);
    value list(const node& n);
    value object(const node& n);
    value range(const node& n);
    value negate(const node& n);
    value calculate(const node& n);
    value add_texts(const value& a, const value& b);
    value compare(const node& n);
    value cast(const node& n, std::size_t i, const value& v, bool is_equality);
    bool is_in(const node& n);
    bool is_in_range(const node& n, const value& v, const value& range);
    value join(const node& n);
    value call_function(const node& n, const function& f);
    value match(const node& n);
    value each_element(const node& n);
    void read_payload(const node& n);

    const code& code_;
    workspace& work_;
    const subject* of_;
    value element_;
    std::uint64_t steps_ = 0;
    std::uint32_t depth_ = 0;  // of what is compared, merged or written
    bool has_payload_ = false;
    // The elements of the list of the payload that was taken apart last: closures in closures ask for the same one again and again.
    std::optional<std::span<const value>> lifted_;
    std::uint32_t lifted_at_ = 0;
};

}  // namespace mqb::core::expressions
