// scripted_publisher: for tests, a publisher whose answers are written down before, or given by hand, and a send to put into it.
#pragma once

#include "core/middlewares/metadata_edit.hpp"
#include "core/publisher.hpp"
#include "core/timers.hpp"

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace mqb::core {

// One letter for each message: d done, f done as filtered, u unsent, a again, e again and exhausted, r refused, ? uncertain.
inline void give(send_call& c, std::string_view letters) {
    REQUIRE(letters.size() == c.messages.count);
    for (std::uint32_t k = 0; k < letters.size(); ++k) {
        outcome& o = c.outcomes[k];
        const char l = letters[k];
        o.set(l == 'd' || l == 'f'   ? send_result::done
              : l == 'a' || l == 'e' ? send_result::again
              : l == 'r'             ? send_result::refused
              : l == '?'             ? send_result::uncertain
                                     : send_result::unsent);
        if (l == 'e') o.flags |= exhausted;
        if (l == 'f') o.number = static_cast<std::uint64_t>(became::filtered);
        if (l != 'd' && l != 'u') c.texts.set(k, std::string{"no "} + l);
    }
}

// Of the outcomes of a send, with * where an earlier try may have arrived, l where it went to the dead letters.
inline std::string letters_of(const list<outcome>& outcomes) {
    std::string out;
    for (std::uint32_t i = 0; i < outcomes.count; ++i) {
        const outcome& o = outcomes[i];
        char l = "udar?g"[o.result];
        if (o.sent() == send_result::again && (o.flags & exhausted)) l = 'e';
        if (o.sent() == send_result::done && o.number == static_cast<std::uint64_t>(became::filtered)) l = 'f';
        if (o.sent() == send_result::done && o.number == static_cast<std::uint64_t>(became::dead_lettered)) l = 'l';
        out += l;
        if (o.flags & was_uncertain) out += '*';
    }
    return out;
}

// Messages are named by their payload, one letter, and stand in the log with the attempt in their metadata: "ab2" is a, then b in
// its second try.
struct scripted_publisher final : publisher {
    explicit scripted_publisher(timers& c) : clock(c) {}
    status connect(call&) override { return ++connects, connect_answer; }
    status send(send_call& c) override {
        std::string text;
        for (std::uint32_t k = 0; k < c.messages.count; ++k) {
            const message m = c.messages.copy(k);
            text += m.payload.text();
            text += text_of(m.metadata, "mq_bridge.retry.attempt");
        }
        log.push_back(text);
        times.push_back((clock.now_steady() - 1'000'000'000) / 1'000'000);
        if (script.empty()) {
            pending.push_back(&c);
            return status::pending;
        }
        const std::string letters = script.front();
        script.pop_front();
        if (not_before) give_time(c);
        give(c, letters);
        return script_status;
    }
    void give_time(send_call& c) const {
        for (std::uint32_t k = 0; k < c.outcomes.count; ++k) c.outcomes[k].number = not_before;
    }
    // By hand, the oldest that is pending.
    void answer(std::string_view letters, status s = status::ok) {
        REQUIRE(!pending.empty());
        send_call& c = *pending.front();
        pending.pop_front();
        give(c, letters);
        c.done(c, s);
    }
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return ++closes, status::ok; }
    void listen(event_sink*) override {}

    timers& clock;
    std::deque<std::string> script;  // used up: answers come by hand
    status script_status = status::ok;
    status connect_answer = status::ok;
    std::uint64_t not_before = 0;
    std::vector<std::string> log;
    std::vector<std::uint64_t> times;  // ms since the start
    std::deque<send_call*> pending;
    std::vector<call*> cancelled;
    int connects = 0, closes = 0;
};

// A send of messages "a", "b", …; each in lane 0 but for capital letters, which are in a lane of their own.
struct named_send : send_call {
    explicit named_send(std::string n) : names(std::move(n)), outcomes_(names.size()) {
        for (const char& name : names) {
            message& m = messages_.emplace_back();
            m.lane = name >= 'A' && name <= 'Z' ? static_cast<std::uint64_t>(name) : 0;
            m.payload = {reinterpret_cast<const std::uint8_t*>(&name), 1, nullptr};
        }
        messages = message_list{std::span<const message>{messages_}};
        outcomes = list<outcome>{std::span<outcome>{outcomes_}};
        done = [](call& c, status s) noexcept { static_cast<named_send&>(c).answers.push_back(s); };
    }
    [[nodiscard]] std::string results() const { return letters_of(outcomes); }
    std::string names;
    std::vector<message> messages_;
    std::vector<outcome> outcomes_;
    std::vector<status> answers;
};

// Moves the clock on to the next timer, and delivers.
inline void until_next(manual_timers& clock, mailbox& box) {
    while (box.deliver_all()) {}
    if (clock.next() != UINT64_MAX) clock.advance_to(clock.next());
    while (box.deliver_all()) {}
}

}  // namespace mqb::core
