// hand_source: for tests, a source of batches of letters, which come from a script or by hand, and a receive to put into what stands
// over it.
#pragma once

#include "core/consumer.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace mqb::core {

struct hand_source final : consumer {
    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        REQUIRE(!waiting);
        ++receives;
        asked.push_back(c.max_messages);
        if (!script.empty()) return give(c, std::exchange(script.front(), {}), true);
        waiting = &c;
        return status::pending;
    }
    // "" is ok without messages; "!end" and the like are answers.
    status give(receive_call& c, const std::string& letters, bool is_scripted) {
        if (is_scripted) script.pop_front();
        if (letters == "!end") return status::end;
        if (letters == "!cancelled") return status::cancelled;
        if (letters == "!lost") return c.texts.set(whole_call, "gone"), status::disconnected;
        if (letters.empty()) return status::ok;
        auto& b = batches.emplace_back();
        b.text = letters;
        for (const char& l : b.text) {
            message& m = b.messages.emplace_back();
            m.payload = {reinterpret_cast<const std::uint8_t*>(&l), 1, nullptr};
            m.lane = static_cast<std::uint64_t>(l);
        }
        c.messages = message_list{std::span<const message>{b.messages}};
        c.batch = &b;
        return status::ok;
    }
    // To the receive that waits.
    void come(const std::string& letters) {
        REQUIRE(waiting);
        receive_call& c = *std::exchange(waiting, nullptr);
        const status answer = give(c, letters, false);
        c.done(c, answer);
    }
    // Each entry as a letter, with n for nack and j for reject, and the reason: "a bj(no good)".
    status settle(settle_call& c) override {
        std::string line;
        const auto& b = *static_cast<batch*>(c.batch);
        for (std::uint32_t k = 0; k < c.entries.count; ++k) {
            const settle_entry e = c.entries.copy(k);
            line += (k ? " " : "") + (e.index < b.text.size() ? std::string(1, b.text[e.index]) : "?");
            if (e.what != disposition::ack) line += std::string{" njrm "}[static_cast<std::size_t>(e.what)];
            if (e.reason.size) line += "(" + std::string{std::string_view{e.reason}} + ")";
            c.outcomes[k].set(answer_of_settle);
            if (settle_text.size()) c.texts.set(k, settle_text);
        }
        settled.push_back(line);
        if (!settles_later) return status::ok;
        settles.push_back(&c);
        return status::pending;
    }
    void free_batch(void* b) override { freed.push_back(static_cast<batch*>(b)->text); }
    void lanes_done(std::uint64_t token) override { tokens.push_back(token); }
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

    struct batch {
        std::string text;
        std::vector<message> messages;
    };
    std::deque<std::string> script;
    std::list<batch> batches;
    receive_call* waiting = nullptr;
    int receives = 0;
    bool settles_later = false;
    settle_result answer_of_settle = settle_result::ok;
    std::string settle_text;
    std::vector<std::uint32_t> asked;
    std::vector<settle_call*> settles;
    std::vector<std::string> settled, freed;
    std::vector<std::uint64_t> tokens;
    std::vector<call*> cancelled;
};

struct named_receive : receive_call {
    named_receive() {
        max_messages = 100;
        max_bytes = 1u << 20;
        done = [](call& c, status s) noexcept { static_cast<named_receive&>(c).answers.push_back(s); };
    }
    [[nodiscard]] std::string letters() const {
        std::string out;
        for (std::uint32_t i = 0; i < messages.count; ++i) out += messages.copy(i).payload.text();
        return out;
    }
    std::vector<status> answers;
};

// Settles these indexes of a batch; a letter for each outcome (r, o, g), or "refused".
inline std::string settle(consumer& at, void* batch, const std::vector<std::uint32_t>& indexes, disposition what = disposition::ack) {
    std::vector<settle_entry> entries;
    for (std::uint32_t i : indexes) {
        settle_entry& e = entries.emplace_back();
        e.index = i;
        e.what = what;
    }
    std::vector<outcome> outcomes(entries.size());
    settle_call c;
    c.batch = batch;
    c.entries = list<const settle_entry>{std::span<const settle_entry>{entries}};
    c.outcomes = list<outcome>{std::span<outcome>{outcomes}};
    if (at.settle(c) != status::ok) return "refused";
    std::string out;
    for (const outcome& o : outcomes) out += "rog"[o.result];
    return out;
}

}  // namespace mqb::core
