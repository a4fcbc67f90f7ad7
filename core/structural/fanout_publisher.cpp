#include "core/structural/fanout_publisher.hpp"

#include <algorithm>
#include <string>

namespace mqb::core {

namespace {

// The worst counts. What may be tried again is worse than what is refused: the refusal is told when it is all that is left.
int weight(send_result r) noexcept {
    switch (r) {
        case send_result::done: return 0;
        case send_result::refused: return 1;
        case send_result::unsent: return 2;
        case send_result::give_back: return 3;
        case send_result::uncertain: return 4;
        case send_result::again: return 5;
    }
    return 2;
}

// A message that some branch has buried is a dead letter; else it was delivered if any has delivered it.
int weight_of_done(std::uint64_t as) noexcept {
    switch (static_cast<became>(as)) {
        case became::filtered: return 0;
        case became::discarded: return 1;
        case became::duplicate: return 2;
        case became::delivered: return 3;
        case became::dead_lettered: return 4;
    }
    return 3;
}

bool has(const taken_by& by, std::uint32_t branch) noexcept { return (by.branches >> branch & 1) != 0; }

}  // namespace

void fanout_publisher::divide(one_send& s) {
    send_call& upper = *s.upper;
    auto& own = static_cast<message_notes&>(*s.own);
    const std::uint32_t n = upper.messages.count;
    own.had.clear();
    own.responses.clear();
    for (std::uint32_t i = 0; i < n && !memory_.is_empty(); ++i) {
        taken_by had = memory_.take(upper.messages.copy(i));
        if (had.branches == 0) continue;
        own.had.resize(n);
        own.had[i] = std::move(had);
    }
    for (part& p : s.parts) {
        if (own.had.empty()) {
            p.came.assign(n, outcome{});
            p.take_all(upper, list<outcome>{std::span<outcome>{p.came}});
        } else {
            for (std::uint32_t i = 0; i < n; ++i)
                if (!has(own.had[i], p.number)) p.add(upper.messages.copy(i), i);
            if (!p.some.empty()) p.take_added();
        }
        if (upper.answer)
            p.answer = [](send_call& self, std::uint32_t k, const message& response) {
                const auto& mine = static_cast<part&>(self);
                if (k >= mine.messages.count) return;
                auto& fanout = static_cast<fanout_publisher&>(*mine.of->self);
                fanout.keep_response(*mine.of, mine.index_of(k), mine.number, response);
            };
    }
}

// Until all have answered: the first in the list counts.
void fanout_publisher::keep_response(one_send& s, std::uint32_t i, std::uint32_t number, const message& response) {
    auto& own = static_cast<message_notes&>(*s.own);
    own.responses.resize(s.upper->messages.count);
    auto& kept = own.responses[i];
    if (!kept && !own.had.empty()) kept = std::move(own.had[i].response);
    if (kept && kept->number != number && !std::exchange(has_told_, true))
        log_.warn("more than one endpoint answers a message; the answer of the first one in the list counts");
    if (kept && kept->number < number) return;
    kept = std::make_unique<branch_response>();
    kept->number = number;
    kept->what = owned_message{response};
}

bool fanout_publisher::is_delivered(const one_send& s) {
    const auto& own = static_cast<const message_notes&>(*s.own);
    return own.had.empty() && own.responses.empty() && std::ranges::all_of(s.parts, [](const part& p) {
               return std::ranges::all_of(p.came, [](const outcome& o) { return o.delivered() && o.flags == 0; });
           });
}

void fanout_publisher::collect(one_send& s) {
    send_call& upper = *s.upper;
    if (is_delivered(s)) {
        for (std::uint32_t i = 0; i < upper.outcomes.count; ++i) upper.outcomes[i].set(send_result::done);
        return;
    }
    auto& own = static_cast<message_notes&>(*s.own);
    own.answers.clear();
    own.answers.resize(upper.messages.count);
    own.had.resize(upper.messages.count);
    for (std::uint32_t i = 0; i < own.answers.size(); ++i) own.answers[i].taken = std::move(own.had[i]);
    for (const part& p : s.parts) merge(p, own);
    tell_why(s);
    for (std::uint32_t i = 0; i < own.answers.size(); ++i) conclude(s, i);
    own.answers.clear();
    own.had.clear();
    own.responses.clear();
}

void fanout_publisher::merge(const part& p, message_notes& into) {
    for (std::uint32_t k = 0; k < p.messages.count; ++k) {
        const outcome& o = p.came[k];
        merged_answer& all = into.answers[p.index_of(k)];
        all.flags |= o.flags & was_uncertain;
        if (o.sent() == send_result::done) {
            if (all.taken.branches == 0 || weight_of_done(o.number) > weight_of_done(all.taken.as)) all.taken.as = o.number;
            all.taken.branches |= std::uint64_t{1} << p.number;
            continue;
        }
        if (weight(o.sent()) > weight(all.worst)) all.worst = o.sent();
        if (o.sent() == send_result::refused) continue;
        if (o.sent() == send_result::uncertain) all.flags |= was_uncertain;
        if (o.sent() != send_result::again || (o.flags & exhausted) == 0) all.all_exhausted = false;
        if (o.sent() == send_result::again || o.sent() == send_result::give_back) all.number = std::max(all.number, o.number);
    }
}

void fanout_publisher::tell_why(one_send& s) const {
    explanations& texts = s.upper->texts;
    const part* const only = only_failed(s);
    for (const part& p : s.parts)
        for (std::uint32_t k = 0; k < p.messages.count; ++k) {
            if (p.came[k].sent() == send_result::done) continue;
            const std::string text = why(p, k, only);
            if (text.empty()) continue;
            const std::uint32_t i = p.index_of(k);
            const std::string_view before = texts.of(i);
            texts.set(i, before.empty() ? text : std::string{before} + "; " + text);
        }
}

void fanout_publisher::conclude(one_send& s, std::uint32_t i) {
    send_call& upper = *s.upper;
    auto& own = static_cast<message_notes&>(*s.own);
    merged_answer& all = own.answers[i];
    outcome& to = upper.outcomes[i];
    to.set(all.worst);
    to.flags = all.flags;
    to.number = all.worst == send_result::done ? all.taken.as : all.number;
    if (all.worst == send_result::again && all.all_exhausted) to.flags |= exhausted;
    std::unique_ptr<branch_response> response = std::move(all.taken.response);
    if (!own.responses.empty() && own.responses[i]) response = std::move(own.responses[i]);
    if (all.worst == send_result::done) {
        if (response && upper.answer) upper.answer(upper, i, response->what.get());
        return;
    }
    // What is refused comes again, too, where nobody can bury it.
    if (all.taken.branches == 0) return;
    if (response && has(all.taken, response->number)) all.taken.response = std::move(response);
    memory_.put(upper.messages.copy(i), std::move(all.taken));
}

}  // namespace mqb::core
