#include "tests/scripted/scripted.hpp"

#include <algorithm>

namespace mqb::scripted {

using core::disposition;
using core::send_result;
using core::settle_result;
using core::status;

std::string timed_log::text() const {
    std::string out;
    for (const entry& e : entries()) out += e.what + "\n";
    return out;
}

status publisher::connect(core::call&) {
    log_.add(clock_.now_steady(), "connect");
    return status::ok;
}

status publisher::send(core::send_call& c) {
    auto made = std::make_unique<operation>();
    operation& op = *made;
    op.self = this;
    op.what = &c;
    op.deliver = [](core::mail& m) noexcept {
        auto& due = static_cast<operation&>(m);
        core::send_call& upper = *due.what;
        const status end = due.self->finish(due);
        upper.done(upper, end);
    };
    std::uint64_t delay = 0;
    bool never = false;
    for (std::uint32_t k = 0; k < c.messages.count; ++k) {
        answer a;
        if (!script_.empty()) {
            a = std::move(script_.front());
            script_.pop_front();
        }
        delay = std::max(delay, a.delay_ns);
        never = never || a.never;
        log_.add(clock_.now_steady(), "send " + std::string{c.messages[k].payload.text()});
        op.answers.push_back(std::move(a));
    }
    pending_.push_back(std::move(made));
    if (never) return status::pending;
    if (delay == 0) return finish(op);
    op.waits = true;
    clock_.wait_until(clock_.now_steady() + delay, op);
    return status::pending;
}

status publisher::finish(operation& op) {
    core::send_call& c = *op.what;
    status end = status::ok;
    for (std::uint32_t k = 0; k < op.answers.size(); ++k) {
        const answer& a = op.answers[k];
        core::outcome& to = c.outcomes[k];
        to.set(op.cancelled ? send_result::uncertain : a.result);
        to.number = a.not_before_ns;
        if (!a.text.empty()) c.texts.set(k, a.text);
        if (end == status::ok) end = a.status;
        if (op.cancelled || !a.response || !c.answer) continue;
        core::message response;
        response.payload = {reinterpret_cast<const std::uint8_t*>(a.response->data()), a.response->size(), nullptr};
        c.answer(c, k, response);
    }
    log_.add(clock_.now_steady(), std::string{op.cancelled ? "cancelled " : "answered "} + std::to_string(op.answers.size()));
    if (op.cancelled) end = status::cancelled;
    std::erase_if(pending_, [&](const auto& p) { return p.get() == &op; });
    return end;
}

void publisher::cancel(core::call& c) {
    for (auto& p : pending_) {
        if (p->what != &c || p->cancelled) continue;
        p->cancelled = true;
        if (p->waits)
            clock_.cancel(*p);  // delivered all the same
        else
            box_.put(*p);
        return;
    }
}

status publisher::close(core::call&) {
    log_.add(clock_.now_steady(), "close");
    return status::ok;
}

consumer::consumer(core::mailbox& box, core::timers& clock, timed_log& log, std::vector<request> script)
    : box_(box), clock_(clock), log_(log), script_(script.begin(), script.end()) {
    wait_.self = this;
    wait_.deliver = [](core::mail& m) noexcept {
        auto& w = static_cast<wait&>(m);
        core::receive_call& upper = *std::exchange(w.what, nullptr);
        if (w.was_cancelled) return upper.done(upper, status::cancelled);
        upper.done(upper, w.self->give(upper));
    };
}

status consumer::receive(core::receive_call& c) {
    if (script_.empty()) return status::end;
    if (script_.front().delay_ns == 0) return give(c);
    wait_.what = &c;
    clock_.wait_until(clock_.now_steady() + script_.front().delay_ns, wait_);
    return status::pending;
}

status consumer::give(core::receive_call& c) {
    given& g = *given_.emplace_back(std::make_unique<given>());
    g.what = std::move(script_.front());
    script_.pop_front();
    const std::string& text = g.what.payload;
    g.message.id[15] = ++next_id_;
    g.message.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
    log_.add(clock_.now_steady(), "request " + text);
    c.messages = core::message_list{std::span<const core::message>{&g.message, 1}};
    c.batch = &g;
    return status::ok;
}

status consumer::settle(core::settle_call& c) {
    auto& g = *static_cast<given*>(c.batch);
    static constexpr const char* words[] = {"ack", "nack", "reject", "reply", "reply more", "released"};
    for (std::uint32_t k = 0; k < c.entries.count; ++k) {
        const core::settle_entry& e = c.entries[k];
        std::string what = words[static_cast<std::size_t>(e.what)] + (" " + g.what.payload);
        if (e.reply) what += ": " + std::string{e.reply->payload.text()};
        log_.add(clock_.now_steady(), what);
        c.outcomes[k].set(std::exchange(g.what.settled, settle_result::ok));
        if (e.what != disposition::reply_more && c.outcomes[k].settled() == settle_result::ok) g.is_settled = e.what != disposition::nack;
    }
    return status::ok;
}

void consumer::free_batch(void* batch) {
    auto at = std::ranges::find(given_, batch, [](const auto& g) { return static_cast<void*>(g.get()); });
    if (at == given_.end()) return;
    if (!(*at)->is_settled) {
        (*at)->what.delay_ns = 0;
        script_.push_front(std::move((*at)->what));
    }
    given_.erase(at);
}

void consumer::cancel(core::call& c) {
    if (wait_.what == &c) clock_.cancel(wait_);
}

}  // namespace mqb::scripted
