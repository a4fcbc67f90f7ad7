#include "core/expressions/program.hpp"

#include "core/expressions/machine.hpp"
#include "core/expressions/parser.hpp"

#include <re2/re2.h>
#include <simdjson.h>

#include <algorithm>

namespace mqb::core::expressions {

namespace {

std::vector<bool> reached(const code& c) {
    std::vector<bool> is_reached(c.nodes.size());
    is_reached[c.start] = true;
    for (std::size_t i = c.start + 1; i-- > 0;)  // parents stand behind their children
        if (is_reached[i])
            for (const std::uint32_t k : c.kids_of(c.nodes[i])) is_reached[k] = true;
    return is_reached;
}

bool is_foldable(const code& c, const node& n) {
    switch (n.what) {
        case op::constant:
        case op::field:
        case op::metadata:
        case op::root:
        case op::element:
        case op::local:
        case op::assign:
        case op::sequence:
        case op::closure:
        case op::method: return false;
        case op::call:
            if (!all_functions()[n.data].is_pure) return false;
            break;
        case op::match: return false;
        default: break;
    }
    return std::ranges::all_of(c.kids_of(n), [&](std::uint32_t k) { return c.nodes[k].what == op::constant; });
}

// A copy whose parts all are the program's.
value kept(code& c, const value& v) {
    value out = v;
    switch (v.what) {
        case kind::text: return value::of(c.memory.copy(v.view()));
        case kind::list:
        case kind::range: {
            const auto all = c.memory.array<value>(v.items.size);
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = kept(c, v.items.data[i]);
            out.items = {all.data(), all.size()};
            return out;
        }
        case kind::object: {
            const auto all = c.memory.array<member>(v.entries.size);
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = {c.memory.copy(v.entries.data[i].key), kept(c, v.entries.data[i].what)};
            out.entries = {all.data(), all.size()};
            return out;
        }
        default: return out;
    }
}

}  // namespace

code::code() = default;
code::~code() = default;

void fold(code& c, std::uint32_t at) {
    node& n = c.nodes[at];
    if (!is_foldable(c, n)) return;
    // What takes longer is left to the evaluation: a file of expressions is loaded at once, whatever they hold.
    constexpr std::size_t little_memory = 64u << 10;
    constexpr std::uint64_t few_steps = 1'000;
    workspace work{little_memory, few_steps};
    try {
        c.constants.push_back(kept(c, machine{c, work, nullptr}.run(at)));
    } catch (const mistake&) {
        return;  // it may never be evaluated
    } catch (const arena::exhausted&) { return; }
    n.what = op::constant;
    n.data = static_cast<std::uint32_t>(c.constants.size() - 1);
    n.count = 0;
    n.depth = 1;
}

outcome<program> compile(std::string_view source, purpose meant_for) {
    const auto made = std::make_shared<code>();
    made->source = source;
    made->meant_for = meant_for;
    if (!simdjson::validate_utf8(source.data(), source.size())) return mistake{0, 1, "the expression is not UTF-8"};
    try {
        parser{*made}.run();
    } catch (const mistake& m) { return m; } catch (const arena::exhausted&) {
        return mistake{0, 1, "the texts of the expression are too long"};
    }
    program out{made};
    made->reads_payload = !out.payload_paths().empty();
    return out;
}

const std::string& program::source() const noexcept { return code_->source; }
purpose program::meant_for() const noexcept { return code_->meant_for; }
const std::vector<std::string>& program::metadata_keys() const noexcept { return code_->metadata; }

bool program::needs_payload() const noexcept { return code_->reads_payload; }

std::vector<std::string> program::payload_paths() const {
    const std::vector<bool> is_reached = reached(*code_);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < code_->nodes.size(); ++i) {
        const node& n = code_->nodes[i];
        if (!is_reached[i] || (n.what != op::field && n.what != op::root)) continue;
        std::string text = n.what == op::root ? "$root" : code_->fields[n.data].text();
        if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
    }
    return out;
}

}  // namespace mqb::core::expressions
