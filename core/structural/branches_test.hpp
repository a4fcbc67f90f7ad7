// branches_test: for tests, scripted publishers as the branches of an endpoint.
#pragma once

#include "core/middlewares/scripted_publisher_test.hpp"
#include "core/structural/branching_publisher.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mqb::core {

// Adds to a scripted one: what it was asked at last, events, controls.
struct scripted_branch final : publisher {
    explicit scripted_branch(timers& clock) : by(clock) {}
    status connect(call& c) override { return connecting.push_back(&c), ++by.connects, by.connect_answer; }
    status send(send_call& c) override {
        list_of_last = c.messages.first;
        wants_responses = c.answer != nullptr;
        return by.send(c);
    }
    status control(control_call& c) override {
        controls.push_back(c.id + ' ' + c.request);
        if (control_answer != status::ok) c.texts.set(whole_call, "no end");
        return control_answer;
    }
    void cancel(call& c) override { by.cancel(c); }
    status close(call& c) override { return closing.push_back(&c), ++by.closes, close_answer; }
    void listen(event_sink* sink) override { listener = sink; }
    // The response to message `k` of the oldest send.
    void respond(std::uint32_t k, std::string_view text) {
        message response;
        response.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
        send_call& c = *by.pending.front();
        if (c.answer) c.answer(c, k, response);
    }
    // A connect or a close comes back.
    static void come_back(std::vector<call*>& from, status answer) {
        call& c = *std::exchange(from.front(), nullptr);
        from.erase(from.begin());
        c.done(c, answer);
    }

    scripted_publisher by;
    status control_answer = status::ok, close_answer = status::ok;
    std::vector<call*> connecting, closing;
    std::vector<std::string> controls;
    event_sink* listener = nullptr;
    const void* list_of_last = nullptr;
    bool wants_responses = false;
};

// Named "x", "y", "z", …, at the paths "output.x", …
struct branch_setting {
    std::vector<branch> make(std::size_t count) {
        std::vector<branch> out;
        for (std::size_t i = 0; i < count; ++i) {
            auto made = std::make_unique<scripted_branch>(clock);
            at.push_back(made.get());
            out.push_back({std::string{"output."} + static_cast<char>('x' + i), std::move(made)});
        }
        return out;
    }
    void run(publisher& to, named_send& s) const {
        const status answer = to.send(s);
        if (answer != status::pending) s.answers.push_back(answer);
    }
    [[nodiscard]] std::vector<std::string>& log(std::size_t i) const { return at[i]->by.log; }
    void script(std::size_t i, std::deque<std::string> all) const { at[i]->by.script = std::move(all); }

    mailbox box;
    manual_timers clock{box};
    std::vector<scripted_branch*> at;
};

// Any other call, with its answers.
template <class Call>
struct told : Call {
    told() {
        this->done = [](call& c, status s) noexcept { static_cast<told&>(static_cast<Call&>(c)).answers.push_back(s); };
    }
    std::vector<status> answers;
};

}  // namespace mqb::core
