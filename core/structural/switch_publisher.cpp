#include "core/structural/switch_publisher.hpp"

#include <algorithm>
#include <string>

namespace mqb::core {

void switch_publisher::divide(one_send& s) {
    send_call& upper = *s.upper;
    auto& to = static_cast<places&>(*s.own).branch_of;
    to.clear();
    const auto none = static_cast<std::uint32_t>(s.parts.size());
    for (std::uint32_t i = 0; i < upper.messages.count; ++i) {
        std::string why;
        const auto chosen = choice_.choose(upper.messages.copy(i), why);
        to.push_back(chosen.value_or(none));
        if (chosen) continue;
        upper.outcomes[i].set(send_result::refused);
        upper.texts.set(i, why);
    }
    const auto is_first = [&](std::uint32_t branch) { return branch == to.front(); };
    if (to.front() != none && std::ranges::all_of(to, is_first)) {
        s.parts[to.front()].take_all(upper, upper.outcomes);
    } else {
        for (std::uint32_t i = 0; i < to.size(); ++i)
            if (to[i] != none) s.parts[to[i]].add(upper.messages.copy(i), i);
        for (part& p : s.parts)
            if (!p.some.empty()) p.take_added();
    }
    if (!upper.answer) return;
    for (part& p : s.parts)
        p.answer = [](send_call& self, std::uint32_t k, const message& response) {
            const auto& mine = static_cast<part&>(self);
            if (k < mine.messages.count) mine.of->upper->answer(*mine.of->upper, mine.index_of(k), response);
        };
}

void switch_publisher::collect(one_send& s) {
    const part* const only = only_failed(s);
    for (const part& p : s.parts)
        for (std::uint32_t k = 0; k < p.messages.count; ++k) {
            const std::uint32_t i = p.index_of(k);
            if (!p.index.empty()) s.upper->outcomes[i] = p.came[k];
            if (p.outcomes[k].sent() == send_result::done) continue;
            if (const std::string text = why(p, k, only); !text.empty()) s.upper->texts.set(i, text);
        }
}

}  // namespace mqb::core
