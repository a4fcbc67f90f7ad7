// ledger_leaf_test: a leaf consumer for the tests of the ledger, whose every answer the test gives by hand.
#pragma once

#include "core/ledger.hpp"

#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace mqb::core {

// One settle that the leaf was given.
struct given_settle {
    settle_call* call;
    void* batch;
    std::string text;  // "0 1 2r": the indexes; n nack, j reject, r reply, m reply more
};

struct hand_leaf final : consumer {
    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        asked.push_back(c.max_messages);
        receiving = &c;
        return status::pending;
    }
    status settle(settle_call& c) override {
        given_settle g{&c, c.batch, {}};
        for (std::uint32_t k = 0; k < c.entries.count; ++k) {
            if (k) g.text += ' ';
            g.text += std::to_string(c.entries[k].index);
            g.text += std::string_view{" njrm "}.substr(static_cast<std::size_t>(c.entries[k].what), 1);
            if (g.text.back() == ' ') g.text.pop_back();
            if (c.entries[k].reply) replies.emplace_back(c.entries[k].reply->payload.text());
        }
        settles.push_back(g);
        return at_once ? (answer_all(c, settle_result::ok), status::ok) : status::pending;
    }
    void free_batch(void* batch) override { freed.push_back(*static_cast<int*>(batch)); }
    void lanes_done(std::uint64_t token) override { done_tokens.push_back(token); }
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink* s) override { sink = s; }

    static void answer_all(settle_call& c, settle_result r) {
        for (std::uint32_t k = 0; k < c.outcomes.count; ++k) c.outcomes[k].set(r);
    }
    // Answers settle number `n` (from 0) with one letter for each entry: o ok, r retry, g gone.
    void answer(std::size_t n, std::string_view letters) {
        settle_call& c = *settles.at(n).call;
        for (std::uint32_t k = 0; k < c.outcomes.count; ++k) {
            const char letter = letters[std::min<std::size_t>(k, letters.size() - 1)];
            c.outcomes[k].set(letter == 'o' ? settle_result::ok : letter == 'g' ? settle_result::gone : settle_result::retry);
        }
        c.done(c, status::ok);
    }

    bool at_once = false;
    std::vector<std::uint32_t> asked;  // max_messages
    receive_call* receiving = nullptr;
    std::vector<given_settle> settles;
    std::vector<std::string> replies;
    std::vector<int> freed;  // numbers of batches
    std::vector<std::uint64_t> done_tokens;
    std::vector<call*> cancelled;
    event_sink* sink = nullptr;
};

// A ledger over such a leaf, and the side above it.
struct ledger_bench {
    explicit ledger_bench(settle_unit unit, std::uint32_t dispositions = 63, std::uint32_t max_messages = 0,
                          std::uint32_t max_batches = 0) {
        promised.unit = unit;
        promised.dispositions = dispositions;
        promised.max_unsettled_messages = max_messages;
        promised.max_unsettled_batches = max_batches;
        auto made = std::make_unique<hand_leaf>();
        leaf = made.get();
        book = std::make_unique<ledger>(std::move(made), promised, counters, box, clock);
        upper.max_messages = 100;
        upper.done = [](call& c, status s) noexcept { static_cast<upper_receive&>(c).answers.push_back(s); };
    }
    // Receives a batch with messages of these lanes; returns its handle.
    void* receive(std::vector<std::uint64_t> lanes) {
        book->receive(upper);
        return give(std::move(lanes));
    }
    void* give(std::vector<std::uint64_t> lanes) {
        auto& messages = arrays.emplace_back();
        for (std::uint64_t lane : lanes) messages.emplace_back().lane = lane;
        receive_call& c = *leaf->receiving;
        c.messages = message_list{std::span<const message>{messages}};
        c.batch = &numbers.emplace_back(static_cast<int>(numbers.size()) + 1);
        c.done(c, status::ok);
        return upper.batch;
    }
    // Settles entries; returns a letter for each: o, r, g.
    std::string settle(void* batch, std::vector<std::uint32_t> indexes, disposition what = disposition::ack, std::string_view reason = {}) {
        std::vector<settle_entry> entries;
        for (std::uint32_t i : indexes) {
            settle_entry& e = entries.emplace_back();
            e.index = i;
            e.what = what;
            e.reason = {reason.data(), reason.size()};
            if (what == disposition::reply || what == disposition::reply_more) e.reply = &reply;
        }
        std::vector<outcome> outcomes(entries.size());
        settle_call c;
        c.batch = batch;
        c.entries = list<const settle_entry>{std::span<const settle_entry>{entries}};
        c.outcomes = list<outcome>{std::span<outcome>{outcomes}};
        if (book->settle(c) != status::ok) return "not accepted";
        std::string out;
        for (const outcome& o : outcomes) out += "rog"[o.result];
        return out;
    }
    void until_retry() {
        clock.advance_to(clock.next());
        box.deliver_all();
    }
    // "delivered replied returned in_flight", after a check that everything adds up.
    std::vector<std::uint64_t> counts() const {
        const ledger_totals t = counters.totals();
        if (!t.is_exact() || t.in_flight != book->count_held()) return {};
        return {t.delivered, t.replied, t.returned, t.in_flight};
    }

    struct upper_receive : receive_call {
        std::vector<status> answers;
    };
    promises promised;
    ledger_counters counters;
    mailbox box;
    manual_timers clock{box};
    hand_leaf* leaf = nullptr;
    std::unique_ptr<ledger> book;
    upper_receive upper;
    message reply;
    std::list<std::vector<message>> arrays;
    std::deque<int> numbers;
};

using totals = std::vector<std::uint64_t>;

}  // namespace mqb::core
