#include "tests/shapes/fake_endpoint.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace mqb::shapes {

using core::status;

status fake_endpoint::start_connect(core::call& c) {
    around_.log.expect(!closed_, "connect after close");
    around_.log.expect(pending_.empty(), "connect while something is in flight");
    around_.log.expect(!connected_, "connect of what is connected");
    return start(verb::connect, c, 0);
}

status fake_endpoint::start_close(core::call& c) {
    around_.log.expect(!closed_, "closed twice");
    around_.log.expect(pending_.empty(), "close while something is in flight");
    closed_ = true;
    return start(verb::close, c, 0);
}

status fake_endpoint::start(verb kind, core::call& c, std::uint32_t count) {
    around_.log.started(kind, count);
    if (kind != verb::connect && kind != verb::close) {
        around_.log.expect(was_connected_ && !closed_, "used while not open");
        around_.log.expect(connected_ || !told_, "used after `disconnected`");
        around_.log.expect(in_flight(verb::connect) == 0, "used while it connects");
    }
    auto made = std::make_unique<operation>();
    operation& op = *made;
    op.self = this;
    op.what = &c;
    op.kind = kind;
    op.wrong = around_.script.next(kind);
    op.sequence = next_sequence_++;
    op.deliver = [](core::mail& m) noexcept {
        auto& arrived = static_cast<operation&>(m);
        arrived.posted = false;
        arrived.self->finish(arrived);
    };
    pending_.push_back(std::move(made));
    begun(op);
    if (op.wrong && op.wrong->never) return status::pending;
    bool later = how_ == answers::by_mail || how_ == answers::from_thread || (how_ == answers::mixed && chance(0.5));
    if (is_in_order() && in_flight(kind) > 1) later = true;
    if (!later) {
        const status answer = answer_of(op);
        if (answer != status::pending) {
            std::erase_if(pending_, [&](const auto& p) { return p.get() == &op; });
            around_.log.answered(kind, answer, count);
        }
        return answer;
    }
    post(op);
    return status::pending;
}

status fake_endpoint::answer_of(operation& op) {
    if (op.wrong && !op.wrong->text.empty()) op.what->texts.set(core::whole_call, op.wrong->text);
    if (op.kind == verb::connect) {
        if (op.cancelled) return status::cancelled;
        const status answer = op.wrong ? op.wrong->status : status::ok;
        if (answer == status::ok) {
            connected_ = true;
            told_ = false;
            if (std::exchange(was_connected_, true)) connected_again();
        }
        return answer;
    }
    if (op.kind == verb::close) return around_.elsewhere.wait_until_idle(), op.wrong ? op.wrong->status : status::ok;
    const status answer = carry_out(op);
    if (answer == status::disconnected) {
        connected_ = false;
        told_ = true;
    }
    return answer;
}

void fake_endpoint::post(operation& op) {
    if (op.posted || op.waits_its_turn || (op.wrong && op.wrong->never)) return;
    op.posted = true;
    if (how_ == answers::from_thread || (how_ == answers::mixed && chance(0.5)))
        around_.elsewhere.put(around_.box, op);
    else
        around_.box.put(op);
}

void fake_endpoint::finish(operation& op) {
    if (is_in_order()) {
        // Its turn comes when everything that was started before it has been answered.
        const bool first = std::ranges::none_of(
            pending_, [&](const auto& p) { return p->kind == op.kind && p->sequence < op.sequence && !(p->wrong && p->wrong->never); });
        op.waits_its_turn = !first;
        if (!first) return;
    }
    const status answer = answer_of(op);
    if (answer == status::pending) return;
    core::call& c = *op.what;
    const verb kind = op.kind;
    std::erase_if(pending_, [&](const auto& p) { return p.get() == &op; });
    around_.log.answered(kind, answer);
    for (auto& p : pending_)
        if (std::exchange(p->waits_its_turn, false)) post(*p);
    c.done(c, answer);
}

void fake_endpoint::cancel_call(core::call& c) {
    around_.log.started(verb::cancel);
    for (auto& p : pending_)
        if (p->what == &c) {
            p->cancelled = true;
            post(*p);
        }
}

void fake_endpoint::wake(verb kind) {
    for (auto& p : pending_)
        if (p->kind == kind) post(*p);
}

std::size_t fake_endpoint::in_flight(verb kind) const {
    return static_cast<std::size_t>(std::ranges::count_if(pending_, [&](const auto& p) { return p->kind == kind; }));
}

void fake_endpoint::drop_connection() {
    if (!connected_) return;
    connected_ = false;
    for (auto& p : pending_)
        if (p->kind != verb::connect) post(*p);
}

void fake_endpoint::raise(std::function<void()> event) {
    auto* mail = new raised;
    mail->what = std::move(event);
    mail->deliver = [](core::mail& m) noexcept {
        auto& arrived = static_cast<raised&>(m);
        arrived.what();
        delete &arrived;
    };
    around_.box.put(*mail);
}

}  // namespace mqb::shapes
