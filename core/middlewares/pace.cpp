#include "core/middlewares/pace.hpp"

#include "core/timers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mqb::core {

namespace {
constexpr std::uint64_t most_late_ns = 20'000'000;  // what timers of a busy machine are late; more than that is no longer made up for
constexpr double longest_ns = 1e18;                 // 31 years
}  // namespace

pace::slot pace::reserve(std::uint64_t came, std::uint32_t count) noexcept {
    std::lock_guard lock{mutex_};
    const std::uint64_t earliest = came - std::min(came, std::exchange(late_ns_, 0));
    if (earliest > next_) {
        next_ = earliest;
        fraction_ = 0;
    }
    slot out{next_, 0, fraction_};
    const double taken = std::min(ns_of_call_ + ns_of_message_ * count, longest_ns) + fraction_;
    const double whole = std::floor(taken);
    fraction_ = taken - whole;
    out.due = next_ = later(next_, static_cast<std::uint64_t>(whole));
    return out;
}

void pace::used(const slot& s, std::uint64_t now) noexcept {
    if (!makes_up_) return;
    std::lock_guard lock{mutex_};
    late_ns_ = now > s.due ? std::min(now - s.due, most_late_ns) : 0;
}

void pace::give_back(const slot& s) noexcept {
    std::lock_guard lock{mutex_};
    if (next_ != s.due) return;
    next_ = s.from;
    fraction_ = s.fraction;
}

}  // namespace mqb::core
