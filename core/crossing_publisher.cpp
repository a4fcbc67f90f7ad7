#include "core/crossing_publisher.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace mqb::core {

// One call on its way. Each leg is in at most one mailbox at a time; the call is used again when all of them are home.
struct crossing_publisher::operation {
    struct leg : mail {
        operation* op = nullptr;
    };
    virtual ~operation() = default;
    // there
    virtual status start() = 0;
    virtual call& below() noexcept = 0;
    // here, before the caller is told
    virtual void bring_back() = 0;

    operation() {
        go.op = stop.op = back.op = this;
        go.deliver = [](mail& m) noexcept {
            operation& o = *static_cast<leg&>(m).op;
            o.runs_there = true;
            const status came = o.start();
            if (came != status::pending) o.finish(came);
        };
        stop.deliver = [](mail& m) noexcept {
            operation& o = *static_cast<leg&>(m).op;
            if (o.runs_there) o.self->target_.cancel(o.below());
            o.stop_is_out.store(false, std::memory_order_release);
        };
        back.deliver = [](mail& m) noexcept {
            operation& o = *static_cast<leg&>(m).op;
            o.self->ended(o);
        };
    }
    void finish(status came) noexcept {
        runs_there = false;
        answer = came;
        self->here_.put(back);
    }

    crossing_publisher* self = nullptr;
    call* upper = nullptr;
    status answer = status::pending;
    bool is_busy = false;     // here
    bool runs_there = false;  // there
    std::atomic<bool> stop_is_out{false};
    leg go, stop, back;
};

struct crossing_publisher::sending : operation, send_call {
    sending() {
        done = [](call& c, status came) noexcept { static_cast<sending&>(static_cast<send_call&>(c)).finish(came); };
    }
    status start() override { return self->target_.send(*this); }
    call& below() noexcept override { return *this; }
    void bring_back() override {
        auto& c = static_cast<send_call&>(*upper);
        if (c.answer)
            for (const auto& [i, response] : responses) c.answer(c, i, response.get());
        responses.clear();
    }
    std::vector<std::pair<std::uint32_t, owned_message>> responses;
};

struct crossing_publisher::controlling : operation, control_call {
    controlling() {
        done = [](call& c, status came) noexcept { static_cast<controlling&>(static_cast<control_call&>(c)).finish(came); };
    }
    status start() override { return self->target_.control(*this); }
    call& below() noexcept override { return *this; }
    void bring_back() override { static_cast<control_call&>(*upper).answer = std::move(answer_text()); }
    std::string& answer_text() noexcept { return static_cast<control_call&>(*this).answer; }
};

// connect and close.
struct crossing_publisher::simple : operation, call {
    simple() {
        done = [](call& c, status came) noexcept { static_cast<simple&>(c).finish(came); };
    }
    status start() override { return is_close ? self->target_.close(*this) : self->target_.connect(*this); }
    call& below() noexcept override { return *this; }
    void bring_back() override {}
    bool is_close = false;
};

// Events cross as letters of their own.
class crossing_publisher::events final : public event_sink {
public:
    explicit events(mailbox& here) : here_(here) {}
    std::atomic<event_sink*> listener{nullptr};

    void on_state(bool connected, std::string_view cause) override {
        post([connected, text = std::string{cause}](event_sink& to) { to.on_state(connected, text); });
    }
    void on_count(std::string_view name, std::int64_t delta) override {
        post([text = std::string{name}, delta](event_sink& to) { to.on_count(text, delta); });
    }
    void on_warning(std::string_view what) override {
        post([text = std::string{what}](event_sink& to) { to.on_warning(text); });
    }
    void on_bad_config(std::string_view what) override {
        post([text = std::string{what}](event_sink& to) { to.on_bad_config(text); });
    }
    void on_misbehaviour(std::string_view what) override {
        post([text = std::string{what}](event_sink& to) { to.on_misbehaviour(text); });
    }

private:
    template <class Tell>
    struct letter : mail {
        letter(Tell t, events& f) : tell(std::move(t)), from(f) {
            deliver = [](mail& m) noexcept {
                const std::unique_ptr<letter> mine{static_cast<letter*>(&m)};
                if (event_sink* to = mine->from.listener.load()) mine->tell(*to);
            };
        }
        Tell tell;
        events& from;
    };
    template <class Tell>
    void post(Tell tell) {
        here_.put(*std::make_unique<letter<Tell>>(std::move(tell), *this).release());  // the mailbox has it
    }
    mailbox& here_;
};

crossing_publisher::crossing_publisher(publisher& target, mailbox& there, mailbox& here)
    : target_(target), there_(there), here_(here), events_(std::make_unique<events>(here)) {}

crossing_publisher::~crossing_publisher() = default;

template <class Op>
Op& crossing_publisher::take(std::vector<std::unique_ptr<Op>>& from) {
    const auto is_free = [](const auto& op) { return !op->is_busy && !op->stop_is_out.load(std::memory_order_acquire); };
    auto at = std::ranges::find_if(from, is_free);
    if (at == from.end()) at = from.insert(from.end(), std::make_unique<Op>());
    return **at;
}

void crossing_publisher::begin(operation& op, call& upper) {
    op.self = this;
    op.upper = &upper;
    op.is_busy = true;
    op.below().texts.clear();
    upper.below = &op;
    ++in_flight_;
    there_.put(op.go);
}

void crossing_publisher::ended(operation& op) {
    call& upper = *op.upper;
    if (!op.below().texts.empty()) std::swap(upper.texts, op.below().texts);
    op.bring_back();
    const status answer = op.answer;
    op.is_busy = false;
    --in_flight_;
    upper.below = nullptr;
    upper.done(upper, answer);
}

status crossing_publisher::send(send_call& c) {
    sending& op = take(sends_);
    op.messages = c.messages;
    op.outcomes = c.outcomes;
    static_cast<send_call&>(op).answer = nullptr;
    if (c.answer)
        static_cast<send_call&>(op).answer = [](send_call& self, std::uint32_t i, const message& response) {
            static_cast<sending&>(self).responses.emplace_back(i, owned_message{response});
        };
    begin(op, c);
    return status::pending;
}

status crossing_publisher::control(control_call& c) {
    controlling& op = take(controls_);
    op.id = c.id;
    op.request = c.request;
    op.answer_text().clear();
    begin(op, c);
    return status::pending;
}

status crossing_publisher::connect(call& c) {
    simple& op = take(others_);
    op.is_close = false;
    begin(op, c);
    return status::pending;
}

status crossing_publisher::close(call& c) {
    simple& op = take(others_);
    op.is_close = true;
    begin(op, c);
    return status::pending;
}

void crossing_publisher::cancel(call& c) {
    auto* op = static_cast<operation*>(c.below);
    if (!op || !op->is_busy || op->stop_is_out.exchange(true)) return;
    there_.put(op->stop);
}

// The target is told where to send its events before it is used.
void crossing_publisher::listen(event_sink* sink) {
    events_->listener = sink;
    target_.listen(events_.get());
}

}  // namespace mqb::core
