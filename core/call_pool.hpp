// call_pool: calls of one kind that are used again and again, so that a busy chain allocates nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

namespace mqb::core {

// Call: default-made; in place for ever. Used by one route. Who takes one resets what the last use has left.
template <class Call>
class call_pool {
public:
    // One that is free; `set_up(call)` once for each, when it is made.
    template <class SetUp>
    [[nodiscard]] Call& take(SetUp set_up) {
        if (spare_.empty()) {
            Call& made = *all_.emplace_back(std::make_unique<Call>());
            set_up(made);
            return made;
        }
        Call& one = *spare_.back();
        spare_.pop_back();
        return one;
    }
    // It is free now. Taken by somebody before.
    void give_back(Call& one) { spare_.push_back(&one); }

    // All that were ever made, free or not, in the order in which they were made.
    template <class Do>
    void each(Do what) const {
        for (const auto& one : all_) what(*one);
    }
    template <class Test>
    [[nodiscard]] bool any(Test test) const {
        return std::ranges::any_of(all_, [&](const auto& one) { return test(*one); });
    }
    // The first of which `test` holds; null: there is none.
    template <class Test>
    [[nodiscard]] Call* find(Test test) const {
        const auto at = std::ranges::find_if(all_, [&](const auto& one) { return test(*one); });
        return at == all_.end() ? nullptr : at->get();
    }

private:
    std::vector<std::unique_ptr<Call>> all_;
    std::vector<Call*> spare_;
};

}  // namespace mqb::core
