// route_lag: how a route asks its source how much waits there.
#include "core/running_route.hpp"

#include <utility>

namespace mqb::core {

void running_route::ask_lag(std::function<void()> told) {
    {
        std::lock_guard lock{mutex_};
        lag_.reset();
        if (answers_lag_) lag_askers_.push_back(std::exchange(told, nullptr));
    }
    if (told) return told();
    lag_requested_ = true;
    if (!wake_.posted.exchange(true)) box_.put(wake_);
}

// One question at a time: its answer is for all who have asked meanwhile.
void running_route::ask_the_source() {
    lag_question& q = lag_question_;
    if (q.pending) return;
    q.self = this;
    q.done = [](call& c, status answer) noexcept {
        auto& asked = static_cast<lag_question&>(c);
        asked.pending = false;
        asked.self->lag_told(answer);
    };
    q.id = "lag";
    q.request = "{}";
    q.answer.clear();
    q.texts.clear();
    q.pending = true;
    const status answer = input_->book->control(q);
    if (answer == status::pending) return;
    q.pending = false;
    lag_told(answer);
}

void running_route::lag_told(status answer) { answer_lag(answer == status::ok ? lag_of(lag_question_.answer) : std::nullopt); }

void running_route::answer_lag(std::optional<source_lag> now) {
    std::vector<std::function<void()>> askers;
    {
        std::lock_guard lock{mutex_};
        lag_ = now;
        askers.swap(lag_askers_);
        if (stopping_) answers_lag_ = false;
    }
    for (const auto& told : askers) told();
}

}  // namespace mqb::core
