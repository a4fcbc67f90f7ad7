// code: the tree of a program, flat: nodes point to their children by number, and children stand before their parents.
#pragma once

#include "core/expressions/arena.hpp"
#include "core/expressions/program.hpp"
#include "core/expressions/value.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace re2 {
class RE2;
}

namespace mqb::core::expressions {

enum class op : std::uint8_t {
    constant,  // data: of constants
    field,     // data: of fields
    metadata,  // data: of metadata
    root,
    element,   // `#`
    local,     // data: of locals
    assign,    // data: of locals; kids: what
    sequence,  // kids: all but the last one are assignments
    member,    // kids: of what; data: of names
    index,     // kids: of what, which
    slice,     // kids: of what, from, to
    list,
    object,  // data: first of its keys in `names`
    range,   // kids: from, to; data: 1: without its ends
    negate,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    power,
    not_,
    and_,
    or_,
    equal,
    not_equal,
    less,
    at_most,
    greater,
    at_least,
    in,
    not_in,
    coalesce,
    conditional,
    join,     // a template
    call,     // data: of the functions
    match,    // matches, extract: kids: text; data: of patterns; flag: extract
    closure,  // kids: list, body; data: of the closures
    method    // kids: of what, arguments; data: of the methods
};

struct node {
    op what = op::constant;
    bool flag = false;
    std::uint16_t depth = 1;
    std::uint32_t offset = 0, length = 0;
    std::uint32_t first = 0, count = 0;  // of kids
    std::uint32_t data = 0;
};

// A step of a path into the payload: a key, or an index.
using step = std::variant<std::string, std::uint32_t>;
struct path {
    std::vector<step> steps;
    bool operator==(const path&) const = default;
    [[nodiscard]] std::string text() const;
};

struct code {
    code();
    ~code();
    code(const code&) = delete;
    code& operator=(const code&) = delete;

    std::string source;
    purpose meant_for = purpose::transform;
    std::vector<node> nodes;
    std::vector<std::uint32_t> kids;
    std::uint32_t start = 0;
    std::vector<value> constants;
    std::vector<path> fields;
    std::vector<std::string> metadata;
    std::vector<std::string> locals;
    std::vector<std::string> names;
    std::vector<std::unique_ptr<re2::RE2>> patterns;
    bool reads_payload = false;
    arena memory{4u << 20};  // what constants point to

    [[nodiscard]] std::span<const std::uint32_t> kids_of(const node& n) const noexcept { return {kids.data() + n.first, n.count}; }
};

}  // namespace mqb::core::expressions
