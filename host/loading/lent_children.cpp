#include "host/loading/lent_children.hpp"

#include <algorithm>

namespace mqb::loading {

bool lent_children::is_idle() const {
    return std::ranges::all_of(all_, [](const lent_child& c) { return c.what->is_idle(); });
}

void lent_children::end_all(const std::function<void()>& on_idle) {
    for (lent_child& c : all_) c.what->end_all(on_idle);
}

bool lent_children::are_using(const mqb_list& elements, const mqb_list& outcomes) const noexcept {
    return std::ranges::any_of(all_, [&](const lent_child& c) { return c.what->is_using(elements, outcomes); });
}

void lent_children::stop_using(const mqb_list& elements, const mqb_list& outcomes) noexcept {
    for (lent_child& c : all_) c.what->stop_using(elements, outcomes);
}

}  // namespace mqb::loading
