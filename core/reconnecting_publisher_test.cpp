#include "core/reconnecting_publisher.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace mqb::core;

namespace {

// A leaf whose every answer the test gives by hand. Messages are named by their lane.
struct hand_sink final : publisher {
    status connect(call& c) override {
        ++connects;
        connecting = &c;
        return connect_answer;
    }
    status send(send_call& c) override {
        sends.push_back(&c);
        std::string text;
        for (std::uint32_t k = 0; k < c.messages.count; ++k) text += static_cast<char>('a' + c.messages[k].lane);
        log.push_back(text);
        return status::pending;
    }
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
    // One letter for each message: d done, u unsent, ? uncertain, a again.
    void answer(std::size_t n, std::string_view letters, status s = status::ok) {
        send_call& c = *sends.at(n);
        for (std::uint32_t k = 0; k < letters.size(); ++k)
            c.outcomes[k].set(letters[k] == 'd'   ? send_result::done
                              : letters[k] == '?' ? send_result::uncertain
                              : letters[k] == 'a' ? send_result::again
                                                  : send_result::unsent);
        c.done(c, s);
    }
    status connect_answer = status::ok;
    int connects = 0;
    call* connecting = nullptr;
    std::vector<send_call*> sends;
    std::vector<std::string> log;
    std::vector<call*> cancelled;
};

struct one_send : send_call {
    explicit one_send(std::string_view names) : outcomes_(names.size()) {
        for (char n : names) messages_.emplace_back().lane = static_cast<std::uint64_t>(n - 'a');
        messages = message_list{std::span<const message>{messages_}};
        outcomes = list<outcome>{std::span<outcome>{outcomes_}};
        done = [](call& c, status s) noexcept { static_cast<one_send&>(c).answers.push_back(s); };
        answer = [](send_call& c, std::uint32_t i, const message&) { static_cast<one_send&>(c).answered.push_back(i); };
    }
    std::string results() const {
        std::string out;
        for (const outcome& o : outcomes_) {
            out += "uda!?"[o.result];
            if (o.flags & was_uncertain) out += '*';
        }
        return out;
    }
    std::vector<message> messages_;
    std::vector<outcome> outcomes_;
    std::vector<status> answers;
    std::vector<std::uint32_t> answered;
};

struct setting {
    setting() {
        auto made = std::make_unique<hand_sink>();
        leaf = made.get();
        link = std::make_unique<reconnecting_publisher>(std::move(made), box, clock, 1'000'000'000);
        link->listen(&above);
        CHECK(link->connect(connecting) == status::ok);
    }
    void until_next_try() {
        clock.advance_to(clock.next());
        while (box.deliver_all()) {}
    }
    struct listener final : event_sink {
        void on_state(bool connected, std::string_view cause) override { states.push_back(connected ? "up" : std::string{cause}); }
        void on_bad_config(std::string_view text) override { states.push_back("bad: " + std::string{text}); }
        std::vector<std::string> states;
    } above;
    mailbox box;
    manual_timers clock{box};
    hand_sink* leaf = nullptr;
    std::unique_ptr<reconnecting_publisher> link;
    call connecting;
};

}  // namespace

TEST_CASE("after a lost connection only what has no outcome is sent again, with the mark of what was uncertain") {
    setting s;
    one_send x{"abcde"};
    CHECK(s.link->send(x) == status::pending);
    s.leaf->sends[0]->texts.set(whole_call, "broken pipe");
    s.leaf->answer(0, "du?a?", status::disconnected);
    CHECK(x.answers.empty());
    CHECK(s.above.states == std::vector<std::string>{"up", "broken pipe"});
    s.until_next_try();
    CHECK(s.leaf->connects == 2);
    CHECK(s.leaf->log == std::vector<std::string>{"abcde", "bce"});
    message response;
    s.leaf->sends[1]->answer(*s.leaf->sends[1], 1, response);
    s.leaf->answer(1, "dd?", status::disconnected);
    s.until_next_try();
    CHECK(s.leaf->log.back() == "e");
    s.leaf->answer(2, "a");
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() == "ddd*aa*");
    CHECK(x.answered == std::vector<std::uint32_t>{2});
    CHECK(s.link->is_at_rest());
}

TEST_CASE("sends that lost their connection, and those started since, go out again in the order of their starts") {
    setting s;
    one_send first{"ab"}, second{"cd"}, third{"ef"}, fourth{"gh"};
    s.link->send(first);
    s.link->send(second);
    s.link->send(third);
    s.leaf->answer(1, "du", status::disconnected);
    CHECK(s.link->send(fourth) == status::pending);
    s.leaf->answer(2, "uu");  // answered, but the connection is lost: it waits too
    CHECK(third.answers.empty());
    CHECK(s.clock.next() == UINT64_MAX);  // something is still in flight
    s.leaf->answer(0, "uu", status::disconnected);
    s.until_next_try();
    CHECK(s.leaf->log == std::vector<std::string>{"ab", "cd", "ef", "ab", "d", "ef", "gh"});
    for (std::size_t n = 3; n < 7; ++n) s.leaf->answer(n, n == 4 ? "d" : "dd");
    CHECK(first.results() + second.results() + third.results() + fourth.results() == "dddddddd");
    CHECK(s.link->is_at_rest());
}

TEST_CASE("a send that had an outcome for every message when the connection was lost is not sent again") {
    setting s;
    one_send x{"ab"};
    s.link->send(x);
    s.leaf->answer(0, "da", status::disconnected);
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() == "da");
}

TEST_CASE("a send that is cancelled while it waits for a connection is answered by mail, the others wait on") {
    setting s;
    one_send lost{"a"}, cancelled{"b"}, waits{"c"};
    s.link->send(lost);
    s.leaf->answer(0, "u", status::disconnected);
    s.link->send(cancelled);
    s.link->send(waits);
    s.link->cancel(cancelled);
    CHECK(cancelled.answers.empty());
    s.box.deliver_all();
    CHECK(cancelled.answers == std::vector{status::cancelled});
    s.until_next_try();
    CHECK(s.leaf->log == std::vector<std::string>{"a", "a", "c"});
}

TEST_CASE("a send that is cancelled just before the connection comes back is not sent") {
    setting s;
    one_send lost{"a"};
    s.link->send(lost);
    s.leaf->answer(0, "?", status::disconnected);
    s.leaf->connect_answer = status::pending;
    s.until_next_try();
    s.link->cancel(lost);
    s.leaf->connecting->done(*s.leaf->connecting, status::ok);
    CHECK(lost.answers == std::vector{status::cancelled});
    CHECK(lost.results() == "?*");
    CHECK(s.leaf->log.size() == 1);
    s.box.deliver_all();
    CHECK(lost.answers.size() == 1);
}

TEST_CASE("after stop what waits is answered, and nothing connects any more") {
    setting s;
    one_send lost{"a"}, later{"b"};
    s.link->send(lost);
    s.leaf->answer(0, "u", status::disconnected);
    s.link->stop();
    s.box.deliver_all();
    CHECK(lost.answers == std::vector{status::cancelled});
    CHECK(s.link->send(later) == status::cancelled);
    CHECK(s.link->is_at_rest());
    CHECK(s.leaf->connects == 1);
}

TEST_CASE("a configuration that turns out wrong is told, and what waits is answered") {
    setting s;
    one_send lost{"a"};
    s.link->send(lost);
    s.leaf->connect_answer = status::bad_config;
    s.leaf->answer(0, "u", status::disconnected);
    s.until_next_try();
    CHECK(s.above.states.back() == "bad: cannot connect: bad configuration");
    CHECK(lost.answers == std::vector{status::cancelled});
    CHECK(s.link->is_at_rest());
}

TEST_CASE("an empty send that lost its connection is repeated") {
    setting s;
    one_send flush{""};
    s.link->send(flush);
    s.leaf->answer(0, "", status::disconnected);
    s.until_next_try();
    CHECK(s.leaf->sends.size() == 2);
    s.leaf->answer(1, "");
    CHECK(flush.answers == std::vector{status::ok});
}
