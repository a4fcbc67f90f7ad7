#include "core/leaf_gate.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

class leaf_gate::door final : public publisher {
public:
    explicit door(leaf_gate& g) : gate(g) {}
    status connect(call&) override { return status::ok; }  // the route connects the leaf
    status send(send_call& c) override {
        if (gate.waiting_.empty() && gate.may_pass(*this)) return gate.pass(*this, c);
        gate.waiting_.push_back({this, &c});
        gate.wake();
        return status::pending;
    }
    status control(control_call& c) override { return gate.leaf_.control(c); }
    void cancel(call& c) override { gate.cancel(c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

    leaf_gate& gate;
    std::uint64_t sequence = 0;
    bool is_busy = false;      // with the batch of that number
    bool has_started = false;  // a send of it
};

leaf_gate::leaf_gate(publisher& leaf, const promises& promised, mailbox& box)
    : leaf_(leaf), box_(box), keeps_order_(promised.has(promises::ordered)),
      one_at_a_time_(!promised.has(promises::concurrent | promises::ordered_retry)) {
    nudge_.self = this;
    nudge_.deliver = [](mail& m) noexcept {
        auto& n = static_cast<nudge&>(m);
        n.posted = false;
        n.self->let_through();
    };
}

leaf_gate::~leaf_gate() = default;

publisher& leaf_gate::add_door() { return *doors_.emplace_back(std::make_unique<door>(*this)); }

void leaf_gate::begin(std::size_t i, std::uint64_t sequence) {
    door& d = *doors_[i];
    d.sequence = sequence;
    d.is_busy = true;
    d.has_started = false;
}

void leaf_gate::end(std::size_t i) {
    doors_[i]->is_busy = false;
    if (!waiting_.empty()) wake();
}

bool leaf_gate::may_pass(const door& d) const noexcept {
    if (one_at_a_time_ && in_flight_ != 0) return false;
    if (!keeps_order_ || !d.is_busy || d.has_started) return true;
    return std::ranges::none_of(doors_,
                                [&](const auto& other) { return other->is_busy && !other->has_started && other->sequence < d.sequence; });
}

status leaf_gate::pass(door& d, send_call& c) {
    if (c.messages.count != 0) d.has_started = true;  // a flush may overtake the slot's own batch in a middleware
    passage& p = passages_.take([](passage& made) {
        made.done = [](call& self, status answer) noexcept {
            auto& ended = static_cast<passage&>(self);
            leaf_gate& gate = ended.by->gate;
            send_call& upper = *ended.upper;
            if (!ended.texts.empty()) std::swap(upper.texts, ended.texts);
            gate.passages_.give_back(ended);
            gate.passed();
            if (!gate.waiting_.empty()) gate.wake();
            upper.done(upper, answer);
        };
    });
    p.by = &d;
    p.upper = &c;
    p.messages = c.messages;
    p.outcomes = c.outcomes;
    p.texts.clear();
    p.answer = c.answer ? [](send_call& self, std::uint32_t i, const message& response) {
        send_call& upper = *static_cast<passage&>(self).upper;
        upper.answer(upper, i, response);
    } : static_cast<void (*)(send_call&, std::uint32_t, const message&)>(nullptr);
    c.below = &p;
    ++in_flight_;
    if (!waiting_.empty() && keeps_order_) wake();  // this start may have been what another one waits for
    const status answer = leaf_.send(p);
    if (answer == status::pending) return answer;
    if (!p.texts.empty()) std::swap(c.texts, p.texts);
    passages_.give_back(p);
    c.below = nullptr;
    passed();
    if (!waiting_.empty()) wake();
    return answer;
}

// In order of arrival, as far as each may pass.
void leaf_gate::let_through() {
    for (std::size_t i = 0; i < waiting_.size();) {
        waiting_send w = waiting_[i];
        if (!w.cancelled && !may_pass(*w.by)) {
            ++i;
            continue;
        }
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        const status answer = w.cancelled ? status::cancelled : pass(*w.by, *w.what);
        if (answer != status::pending) w.what->done(*w.what, answer);
    }
}

void leaf_gate::cancel(call& c) {
    const auto at = std::ranges::find_if(waiting_, [&](const waiting_send& w) { return w.what == &c; });
    if (at != waiting_.end()) {
        at->cancelled = true;
        return wake();
    }
    if (passage* p = passages_.find([&](const passage& one) { return &one == c.below; })) return leaf_.cancel(*p);
    leaf_.cancel(c);  // control
}

void leaf_gate::wake() {
    if (nudge_.posted) return;
    nudge_.posted = true;
    box_.put(nudge_);
}

}  // namespace mqb::core
