// in_turn: connects or closes the stages of a chain one after the other, as one call.
#pragma once

#include "core/call.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace mqb::core {

// Stage: consumer or publisher. One call at a time. Used by one route.
template <class Stage>
class in_turn final : private call {
public:
    enum class at_failure { stop, go_on };

    in_turn() {
        done = [](call& c, status answer) noexcept { static_cast<in_turn&>(c).ended(answer); };
    }
    in_turn(const in_turn&) = delete;
    in_turn& operator=(const in_turn&) = delete;

    // The answer is the first failure, with its texts.
    status start(call& c, std::vector<Stage*> stages, status (Stage::*what)(call&), at_failure rule) {
        upper_ = &c;
        stages_ = std::move(stages);
        what_ = what;
        rule_ = rule;
        at_ = 0;
        cancelled_ = false;
        first_failure_ = status::ok;
        const status answer = go_on();
        if (answer != status::pending) upper_ = nullptr;
        return answer;
    }
    [[nodiscard]] bool works_for(const call& c) const noexcept { return upper_ == &c; }
    void cancel() {
        cancelled_ = true;
        stages_[at_]->cancel(*this);
    }

private:
    status go_on() {
        while (at_ < stages_.size()) {
            texts.clear();
            const status answer = (stages_[at_]->*what_)(*this);
            if (answer == status::pending) return answer;
            if (is_last(answer)) break;
        }
        return first_failure_;
    }
    // The stage has answered. True: no further one is asked.
    bool is_last(status answer) {
        const bool failed = answer != status::ok && answer != status::unsupported;
        if (failed && first_failure_ == status::ok) {
            first_failure_ = answer;
            std::swap(upper_->texts, texts);
        }
        if (++at_ == stages_.size() || rule_ == at_failure::go_on) return at_ == stages_.size();
        if (cancelled_ && !failed) first_failure_ = status::cancelled;
        return failed || cancelled_;
    }
    void ended(status answer) {
        const status now = is_last(answer) ? first_failure_ : go_on();
        if (now == status::pending) return;
        call& c = *std::exchange(upper_, nullptr);
        c.done(c, now);
    }

    call* upper_ = nullptr;
    std::vector<Stage*> stages_;
    status (Stage::*what_)(call&) = nullptr;
    at_failure rule_ = at_failure::stop;
    std::size_t at_ = 0;
    bool cancelled_ = false;
    status first_failure_ = status::ok;
};

}  // namespace mqb::core
