// decorators: middlewares of core for the tests: one that filters, one whose settles are pending, one that says more, one that holds
// messages back.
#pragma once

#include "core/registry.hpp"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace mqb::shapes {

// The base of a decorator on an input: passes everything on.
class input_decorator : public core::consumer {
public:
    input_decorator(core::consumer& inner, core::instance_context context) : inner_(inner), box_(context.box) {}
    core::status connect(core::call&) override { return core::status::ok; }
    core::status receive(core::receive_call& c) override { return inner_.receive(c); }
    core::status settle(core::settle_call& c) override { return inner_.settle(c); }
    void free_batch(void* batch) override { inner_.free_batch(batch); }
    void cancel(core::call& c) override { inner_.cancel(c); }
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}

protected:
    core::consumer& inner_;
    core::mailbox& box_;
};

// Answers every settle later.
class settling_later final : public input_decorator {
public:
    using input_decorator::input_decorator;
    core::status settle(core::settle_call& c) override;

private:
    struct letter : core::mail {
        settling_later* self = nullptr;
        core::settle_call* what = nullptr;
    };
};

// Before each reply, one more that settles nothing.
class talkative final : public input_decorator {
public:
    using input_decorator::input_decorator;
    core::status settle(core::settle_call& c) override;
};

// Holds messages back until there are three sends, its timer runs out, or an empty send comes. One send at a time below.
class holding_back final : public core::publisher {
public:
    holding_back(core::publisher& inner, core::instance_context context);
    core::status connect(core::call&) override { return core::status::ok; }
    core::status send(core::send_call& c) override;
    void cancel(core::call& c) override;
    core::status close(core::call& c) override;
    void listen(core::event_sink*) override {}

private:
    struct inner_send : core::send_call {
        holding_back* self = nullptr;
        core::send_call* upper = nullptr;
    };
    struct bound : core::timer {
        holding_back* self = nullptr;
        bool pending = false;
    };
    struct nudge : core::mail {
        holding_back* self = nullptr;
        bool posted = false;
    };
    void go_on();
    void give_on_later();
    void end_close();
    core::publisher& inner_;
    core::mailbox& box_;
    core::timers& clock_;
    inner_send below_;
    bound bound_;
    nudge nudge_;
    bool releasing_ = false;  // give on what is held
    std::deque<core::send_call*> held_;
    std::vector<core::send_call*> cancelled_;
    core::call* closing_ = nullptr;  // waits for the timer and the nudge
};

// The names: filtering (every third message of a partition, on either side), settling-later, talkative, holding-back.
void add_decorators(core::CustomMiddlewareFactory& to);

}  // namespace mqb::shapes
