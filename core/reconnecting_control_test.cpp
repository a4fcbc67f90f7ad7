#include "core/reconnecting_consumer.hpp"
#include "core/reconnecting_publisher.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace mqb::core;

namespace {

// Of the leaves: a leaf that answers each control by hand.
template <class Leaf>
struct controlled : Leaf {
    status connect(call&) override { return ++connects, status::ok; }
    status control(control_call& c) override {
        asked.push_back(&c);
        return answer;
    }
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
    status answer = status::pending;
    int connects = 0;
    std::vector<control_call*> asked;
    std::vector<call*> cancelled;
};
struct source final : controlled<consumer> {
    status receive(receive_call& c) override { return receiving = &c, status::pending; }
    status settle(settle_call& c) override { return settling = &c, status::pending; }
    void free_batch(void*) override {}
    call* receiving = nullptr;
    call* settling = nullptr;
};
struct sink final : controlled<publisher> {
    status send(send_call&) override { return status::pending; }
};

template <class Call>
struct asker : Call {
    asker() {
        this->done = [](call& c, status s) noexcept { static_cast<asker&>(c).answers.push_back(s); };
    }
    std::vector<status> answers;
};

template <class Leaf, class Link>
struct setting {
    setting() {
        auto made = std::make_unique<Leaf>();
        leaf = made.get();
        link = std::make_unique<Link>(std::move(made), box, clock, 1'000'000'000);
        link->listen(&above);
        CHECK(link->connect(connecting) == status::ok);
        lag.id = "lag";
        lag.request = "{}";
    }
    void until_next_try() {
        clock.advance_to(clock.next());
        while (box.deliver_all()) {}
    }
    struct listener final : event_sink {
        void on_state(bool connected, std::string_view cause) override { states.push_back(connected ? "up" : std::string{cause}); }
        std::vector<std::string> states;
    } above;
    mailbox box;
    manual_timers clock{box};
    Leaf* leaf = nullptr;
    std::unique_ptr<Link> link;
    call connecting;
    asker<control_call> lag;
};
using input = setting<source, reconnecting_consumer>;
using output = setting<sink, reconnecting_publisher>;

}  // namespace

TEST_CASE_TEMPLATE("a control is answered with what the leaf says, at once or later", S, input, output) {
    S s;
    CHECK(s.link->control(s.lag) == status::pending);
    CHECK_FALSE(s.link->is_at_rest());
    control_call& below = *s.leaf->asked.at(0);
    CHECK(below.id == "lag");
    CHECK(below.request == "{}");
    below.answer = R"({"lag":7})";
    below.texts.set(whole_call, "slow");
    below.done(below, status::rejected);
    CHECK(s.lag.answers == std::vector{status::rejected});
    CHECK(s.lag.answer == R"({"lag":7})");
    CHECK(s.lag.texts.of(whole_call) == "slow");
    CHECK(s.link->is_at_rest());
    s.leaf->answer = status::unsupported;
    CHECK(s.link->control(s.lag) == status::unsupported);
    CHECK(s.lag.answer.empty());
    CHECK(s.link->is_connected());
}

TEST_CASE_TEMPLATE("a control that finds the connection lost is told so, and the connection is made again", S, input, output) {
    for (const bool at_once : {false, true}) {
        S s;
        asker<control_call> other;
        CHECK(s.link->control(other) == status::pending);
        if (at_once) s.leaf->answer = status::disconnected;
        CHECK(s.link->control(s.lag) == (at_once ? status::disconnected : status::pending));
        control_call& below = *s.leaf->asked.at(1);
        below.texts.set(whole_call, "broken pipe");
        if (!at_once) {
            below.done(below, status::disconnected);
            CHECK(s.lag.answers == std::vector{status::disconnected});
            CHECK(s.above.states == std::vector<std::string>{"up", "broken pipe"});
        }
        CHECK_FALSE(s.link->is_connected());
        CHECK(s.link->control(s.lag) == status::retry);  // there is no connection to ask through
        // The other one is cancelled, and the next connect waits for it.
        CHECK(s.leaf->cancelled == std::vector<call*>{s.leaf->asked[0]});
        CHECK(s.clock.next() == UINT64_MAX);
        s.leaf->asked[0]->done(*s.leaf->asked[0], status::cancelled);
        CHECK(other.answers == std::vector{status::disconnected});  // it was not this asker who cancelled
        s.until_next_try();
        CHECK(s.leaf->connects == 2);
        CHECK(s.link->is_connected());
    }
}

TEST_CASE_TEMPLATE("a control can be cancelled, and is at the end", S, input, output) {
    S s;
    asker<control_call> other;
    CHECK(s.link->control(s.lag) == status::pending);
    CHECK(s.link->control(other) == status::pending);
    s.link->cancel(s.lag);
    CHECK(s.leaf->cancelled == std::vector<call*>{s.leaf->asked[0]});
    s.leaf->asked[0]->done(*s.leaf->asked[0], status::cancelled);
    CHECK(s.lag.answers == std::vector{status::cancelled});
    s.link->stop();
    CHECK(s.leaf->cancelled == std::vector<call*>{s.leaf->asked[0], s.leaf->asked[1]});
    CHECK_FALSE(s.link->is_at_rest());
    s.leaf->asked[1]->done(*s.leaf->asked[1], status::cancelled);
    CHECK(other.answers == std::vector{status::cancelled});
    CHECK(s.link->is_at_rest());
}

TEST_CASE("a control that finds the connection lost takes a receive with it, which goes on above") {
    input s;
    asker<receive_call> receive;
    CHECK(s.link->receive(receive) == status::pending);
    s.leaf->answer = status::disconnected;
    CHECK(s.link->control(s.lag) == status::disconnected);
    CHECK(s.leaf->cancelled == std::vector<call*>{s.leaf->receiving});
    s.leaf->receiving->done(*s.leaf->receiving, status::cancelled);
    CHECK(receive.answers.empty());
    s.until_next_try();
    CHECK(s.leaf->connects == 2);
    CHECK_FALSE(s.link->is_at_rest());  // the receive is asked again
}

TEST_CASE("settles can be cancelled, below and while they wait for a connection") {
    input s;
    asker<settle_call> below, waits, goes_on;
    CHECK(s.link->settle(below) == status::pending);
    s.link->cancel(below);
    CHECK(s.leaf->cancelled == std::vector<call*>{s.leaf->settling});
    s.leaf->settling->done(*s.leaf->settling, status::disconnected);
    CHECK(below.answers == std::vector{status::ok});
    CHECK(s.link->settle(waits) == status::pending);
    CHECK(s.link->settle(goes_on) == status::pending);
    s.link->cancel(waits);
    CHECK(waits.answers.empty());
    s.box.deliver_all();
    CHECK(waits.answers == std::vector{status::cancelled});
    s.until_next_try();
    CHECK(goes_on.answers.empty());
    s.leaf->settling->done(*s.leaf->settling, status::ok);
    CHECK(goes_on.answers == std::vector{status::ok});
}
