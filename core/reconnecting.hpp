// reconnecting: what the decorators have in common that sit on a leaf and keep it connected.
#pragma once

#include "core/connection.hpp"
#include "core/event_relay.hpp"
#include "core/mailbox.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::core {

// Leaf: consumer or publisher. connect is pending until the first connection holds; nothing above sees `disconnected`, but for who
// asked a control that found the connection lost. Used by one route.
template <class Leaf>
class reconnecting : public Leaf, private connection::owner, private event_relay {
public:
    reconnecting(std::unique_ptr<Leaf> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns)
        : leaf_(std::move(leaf)), box_(box), link_(*this, clock, longest_pause_ns) {
        leaf_->listen(this);
        parked_.self = this;
        parked_.deliver = [](mail& m) noexcept {
            auto& p = static_cast<parked_mail&>(m);
            p.posted = false;
            p.self->answer_parked();
        };
    }

    status connect(call& c) final {
        if (stopped_) return status::cancelled;
        connecting_ = &c;
        connect_answer_ = status::pending;
        inside_connect_ = true;
        link_.begin();
        inside_connect_ = false;
        return connect_answer_;
    }
    // Without a connection: retry.
    status control(control_call& c) final {
        if (!link_.is_up()) return status::retry;
        control_op& op = take_control(c);
        ++in_flight_;
        const status answer = leaf_->control(op);
        op.in_flight = answer == status::pending;
        return op.in_flight ? answer : ended(op, answer);
    }
    void cancel(call& c) final {
        if (&c == connecting_) return stop();
        for (auto& op : controls_)
            if (op->upper == &c) return cancel_control(*op);
        cancel_started(c);
    }
    status close(call& c) final { return leaf_->close(c); }
    void listen(event_sink* sink) final { above_ = sink; }
    // No more tries to connect; what waits for a connection is answered with `cancelled`, by mail. Controls are cancelled.
    void stop() {
        stopped_ = true;
        link_.stop();
        for (auto& op : controls_) cancel_control(*op);
        if (!link_.is_up()) post_parked();
    }
    [[nodiscard]] bool is_connected() const noexcept { return link_.is_up(); }
    [[nodiscard]] std::uint64_t next_try_ns() const noexcept { return link_.next_try_ns(); }
    // Not connected, and no more tries.
    [[nodiscard]] bool has_given_up() const noexcept { return stopped_ && !link_.is_up(); }

protected:
    ~reconnecting() override = default;

    [[nodiscard]] Leaf& leaf() noexcept { return *leaf_; }
    [[nodiscard]] bool is_up() const noexcept { return link_.is_up(); }
    [[nodiscard]] bool is_stopped() const noexcept { return stopped_; }
    [[nodiscard]] bool is_idle() const noexcept { return link_.is_at_rest() && in_flight_ == 0 && !parked_.posted; }
    void has_worked() noexcept { link_.has_worked(); }
    void post_parked() {
        if (std::exchange(parked_.posted, true)) return;
        box_.put(parked_);
    }
    // Before and after each call to the leaf; the next connect waits until nothing is in flight.
    void begin_call() noexcept { ++in_flight_; }
    void end_call() noexcept { --in_flight_; }
    void reconnect_if_idle() {
        if (in_flight_ == 0 && link_.is_down() && !stopped_) link_.begin_later();
    }
    // A call saw the connection end.
    void lost(std::string_view cause) {
        if (link_.is_up()) {
            link_.lost();
            on_state(false, cause.empty() ? std::string_view{"disconnected"} : cause);
            for (auto& op : controls_)
                if (op->in_flight) leaf_->cancel(*op);
            cancel_in_flight();
        }
        reconnect_if_idle();
    }

private:
    struct control_op : control_call {
        reconnecting* self = nullptr;
        control_call* upper = nullptr;  // null: spare
        bool in_flight = false;
        bool cancelled = false;  // by who asked
    };
    // Answers what waits for a connection that will not come.
    struct parked_mail : mail {
        reconnecting* self = nullptr;
        bool posted = false;
    };

    // The connection holds: what waited is started, until it is lost again.
    virtual void start_waiting() = 0;
    // The connection is lost: what the leaf has is cancelled.
    virtual void cancel_in_flight() = 0;
    // There is no connection: answers what waits and was cancelled, after stop all that waits.
    virtual void answer_waiting() = 0;
    virtual void cancel_started(call& c) = 0;

    control_op& take_control(control_call& c) {
        control_op* op = nullptr;
        for (auto& one : controls_)
            if (!one->upper) op = one.get();
        if (!op) {
            op = controls_.emplace_back(std::make_unique<control_op>()).get();
            op->self = this;
            op->done = [](call& self, status answer) noexcept {
                auto& mine = static_cast<control_op&>(self);
                control_call& upper = *mine.upper;
                const status told = mine.self->ended(mine, answer);
                upper.done(upper, told);
            };
        }
        op->upper = &c;
        op->cancelled = false;
        op->id = c.id;
        op->request = c.request;
        op->answer.clear();
        op->texts.clear();
        return *op;
    }
    void cancel_control(control_op& op) {
        if (!op.upper || !op.in_flight) return;
        op.cancelled = true;
        leaf_->cancel(op);
    }
    // The answer for who asked. What the lost connection has cancelled was not cancelled by them.
    status ended(control_op& op, status answer) {
        --in_flight_;
        op.in_flight = false;
        control_call& upper = *std::exchange(op.upper, nullptr);
        upper.answer = std::move(op.answer);
        if (!op.texts.empty()) std::swap(upper.texts, op.texts);
        if (answer == status::cancelled && !op.cancelled && !link_.is_up()) answer = status::disconnected;
        if (answer == status::disconnected)
            lost(upper.texts.best(whole_call));
        else
            reconnect_if_idle();
        return answer;
    }

    // The first connect ends: by its return value while it is being started, else by its completion.
    void answer_connect(status answer, std::string_view text) {
        call* c = std::exchange(connecting_, nullptr);
        if (!c) return;
        if (!text.empty()) c->texts.set(whole_call, text);
        if (inside_connect_)
            connect_answer_ = answer;
        else
            c->done(*c, answer);
    }
    void answer_parked() {
        if (link_.is_up()) return;
        if (stopped_) answer_connect(status::cancelled, {});
        answer_waiting();
    }

    status start_connect(call& c) override { return leaf_->connect(c); }
    void cancel_connect(call& c) override { leaf_->cancel(c); }
    void on_connected() override {
        on_state(true, {});
        answer_connect(status::ok, {});
        start_waiting();
    }
    void on_not_connected(bool fatal, std::string_view cause) override {
        if (!fatal) return on_state(false, cause);
        if (connecting_)
            answer_connect(status::bad_config, cause);
        else
            on_bad_config(cause);
        stopped_ = true;
        post_parked();
    }

    std::unique_ptr<Leaf> leaf_;
    mailbox& box_;
    connection link_;
    call* connecting_ = nullptr;  // the first connect, while it is pending
    bool inside_connect_ = false;
    status connect_answer_ = status::pending;
    bool stopped_ = false;
    parked_mail parked_;
    std::vector<std::unique_ptr<control_op>> controls_;
    std::uint32_t in_flight_ = 0;  // calls that the leaf has
};

}  // namespace mqb::core
