#include "core/middlewares/timed_send.hpp"

#include <utility>

namespace mqb::core {

namespace {
bool is_borrowed(const buffer& b) noexcept { return b.data && !b.owner; }
}  // namespace

void timed_send::take(send_call& c, std::uint64_t until) {
    upper = &c;
    due = until;
    is_below = is_cancelled = false;
    all_.clear();
    for (std::uint32_t i = 0; i < c.messages.count; ++i) {
        message m = c.messages.copy(i);
        if (is_borrowed(m.payload) || is_borrowed(m.metadata)) m = kept_.emplace_back(m).get();
        all_.push_back(m);
    }
    came_.assign(all_.size(), outcome{});
    messages = message_list{std::span<const message>{all_}};
    outcomes = list<outcome>{std::span<outcome>{came_}};
    texts.clear();
    answer = nullptr;
    if (c.answer)
        answer = [](send_call& self, std::uint32_t i, const message& response) {
            send_call* const to = static_cast<timed_send&>(self).upper;
            if (to) to->answer(*to, i, response);  // else: too late
        };
}

void timed_send::bring_up() {
    for (std::uint32_t i = 0; i < upper->outcomes.count; ++i) upper->outcomes[i] = came_[i];
    std::swap(upper->texts, texts);
}

void timed_send::keep() {
    for (const message& m : all_) kept_.emplace_back(m);
}

void timed_send::forget() noexcept {
    upper = nullptr;
    is_below = false;
    all_.clear();
    kept_.clear();
    texts.clear();
}

}  // namespace mqb::core
