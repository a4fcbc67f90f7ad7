#include "core/expressions/evaluator.hpp"

#include "core/expressions/machine.hpp"

#include <exception>
#include <new>

namespace mqb::core::expressions {

namespace {

// A null result of these comes from a missing field that they were given, as in `startsWith(name, "a")`; such a filter does not hold.
bool is_computed(op what) noexcept {
    switch (what) {
        case op::call:
        case op::closure:
        case op::match:
        case op::method:
        case op::negate:
        case op::add:
        case op::subtract:
        case op::multiply:
        case op::divide:
        case op::remainder:
        case op::power: return true;
        default: return false;
    }
}

constexpr std::size_t kept_result = 1u << 20;

// What the evaluation answers, or why it has none. Exceptions end here.
template <class T, class Work>
outcome<T> evaluated(const program& p, workspace& work, const buffer& payload, const buffer& metadata, Work result_of) {
    const code& c = p.internal();
    const subject of{payload, metadata};
    work.memory.reset();
    ++work.evaluation;
    try {
        if (work.fields.size() < c.fields.size()) work.fields.resize(c.fields.size());
        if (work.metadata.size() < c.metadata.size()) work.metadata.resize(c.metadata.size());
        if (work.locals.size() < c.locals.size()) work.locals.resize(c.locals.size());
        machine m{c, work, &of};
        return result_of(m, m.run(c.start));
    } catch (const mistake& why) { return why; } catch (const arena::exhausted&) {
        const node& whole = c.nodes[c.start];
        return mistake{whole.offset, whole.length,
                       "the expression needs more than " + std::to_string(workspace::most_memory >> 20) + " MiB of memory"};
    } catch (const std::bad_alloc&) {
        const node& whole = c.nodes[c.start];
        return mistake{whole.offset, whole.length, "there is no memory to evaluate the expression"};
    } catch (const std::exception& why) {
        const node& whole = c.nodes[c.start];
        return mistake{whole.offset, whole.length, std::string{"the expression cannot be evaluated: "} + why.what()};
    }
}

}  // namespace

evaluator::evaluator() : work_(std::make_unique<workspace>()) {}
evaluator::~evaluator() = default;
evaluator::evaluator(evaluator&&) noexcept = default;
evaluator& evaluator::operator=(evaluator&&) noexcept = default;

outcome<bool> evaluator::holds(const program& p, const buffer& payload, const buffer& metadata) {
    const auto result = evaluated<bool>(p, *work_, payload, metadata, [&](machine& m, const value& v) -> outcome<bool> {
        if (v.what == kind::boolean) return {boost::system::in_place_value, v.flag};
        const node& whole = p.internal().nodes[p.internal().start];
        if (v.is_null() && is_computed(whole.what)) return {boost::system::in_place_value, false};
        m.fail(whole, "the result is neither true nor false, but " +
                          (v.is_null() ? std::string{"null: the field is missing"} : "of the type " + std::string{type_name(v.what)}));
    });
    work_->document.shrink();
    return result;
}

outcome<std::string_view> evaluator::json(const program& p, const buffer& payload, const buffer& metadata) {
    if (out_.capacity() > kept_result) std::string{}.swap(out_);
    out_.clear();
    auto result = evaluated<std::string_view>(p, *work_, payload, metadata, [&](machine& m, const value& v) -> outcome<std::string_view> {
        m.append_json(out_, v);
        return std::string_view{out_};
    });
    work_->document.shrink();
    return result;
}

}  // namespace mqb::core::expressions
