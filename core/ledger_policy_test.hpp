// ledger_policy_test: a ledger with a failure policy, whose dead letters the test answers by hand.
#pragma once

#include "core/broken_record.hpp"
#include "core/ledger_leaf_test.hpp"

#include <string>
#include <vector>

namespace mqb::core {

// Dead letters whose answer the test gives by hand.
struct hand_store final : dead_letter_store {
    status bury(bury_call& c) override {
        for (const dead_letter& l : c.letters)
            texts.push_back(std::string{l.route} + " " + std::string{to_text(l.why)} + " " + l.note->endpoint + " " + l.note->error + " " +
                            std::to_string(l.note->attempts) + (l.note->may_have_arrived ? " uncertain " : " ") +
                            std::to_string(l.what->lane) + (is_broken_record(*l.what) ? " broken" : ""));
        calls.push_back(&c);
        if (at_once == status::retry) c.texts.set(whole_call, "no space");
        return at_once;
    }
    void cancel(call& c) override { cancelled.push_back(&c); }
    void answer(std::size_t n, status s, std::string_view text = {}) {
        if (!text.empty()) calls.at(n)->texts.set(whole_call, text);
        calls[n]->done(*calls[n], s);
    }
    status at_once = status::pending;
    std::vector<std::string> texts;
    std::vector<bury_call*> calls;
    std::vector<call*> cancelled;
};

struct hand_listener final : failure_listener {
    void on_undeliverable(std::string_view why) override { said.emplace_back("undeliverable: " + std::string{why}); }
    void on_dead_letters_stop(std::string_view why) override { said.emplace_back("stop: " + std::string{why}); }
    std::vector<std::string> said;
};

struct policy_bench : ledger_bench {
    explicit policy_bench(settle_unit unit, std::uint32_t dispositions = bit(disposition::ack)) : ledger_bench(unit, dispositions) {
        policy.route = "orders";
        policy.input = "input";
        policy.store = &store;
        policy.listener = &listener;
        book->set_policy(policy);
        leaf->at_once = true;
    }
    void change(error_policy what) {
        policy.on_error = what;
        book->set_policy(policy);
    }
    hand_store store;
    hand_listener listener;
    failure_policy policy;
};

}  // namespace mqb::core
