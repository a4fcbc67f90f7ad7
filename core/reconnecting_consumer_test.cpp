#include "core/reconnecting_consumer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mqb::core;

namespace {

struct hand_source final : consumer {
    status connect(call& c) override {
        ++connects;
        connecting = &c;
        return connect_answer;
    }
    status receive(receive_call& c) override {
        ++receives;
        receiving = &c;
        return receive_answer;
    }
    status settle(settle_call& c) override {
        settles.push_back(&c);
        return settle_answer;
    }
    void free_batch(void*) override {}
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
    status connect_answer = status::ok, receive_answer = status::pending, settle_answer = status::pending;
    int connects = 0, receives = 0;
    call* connecting = nullptr;
    receive_call* receiving = nullptr;
    std::vector<settle_call*> settles;
    std::vector<call*> cancelled;
};

template <class Call>
struct upper : Call {
    upper() {
        this->done = [](call& c, status s) noexcept { static_cast<upper&>(c).answers.push_back(s); };
    }
    std::vector<status> answers;
};

struct setting {
    explicit setting(status first = status::ok) {
        auto made = std::make_unique<hand_source>();
        leaf = made.get();
        leaf->connect_answer = first;
        link = std::make_unique<reconnecting_consumer>(std::move(made), box, clock, 1'000'000'000);
        link->listen(&above);
    }
    void connect() { CHECK(link->connect(connecting) == status::ok); }
    void until_next_try() {
        clock.advance_to(clock.next());
        while (box.deliver_all()) {}
    }
    struct listener final : event_sink {
        void on_bad_config(std::string_view text) override { bad = text; }
        std::string bad;
    } above;
    mailbox box;
    manual_timers clock{box};
    hand_source* leaf = nullptr;
    std::unique_ptr<reconnecting_consumer> link;
    upper<call> connecting;
    upper<receive_call> receive;
    upper<settle_call> settle;
};

}  // namespace

TEST_CASE("the first connect is pending until it holds") {
    setting s{status::retry};
    CHECK(s.link->connect(s.connecting) == status::pending);
    s.until_next_try();
    CHECK(s.connecting.answers.empty());
    s.leaf->connect_answer = status::ok;
    s.until_next_try();
    CHECK(s.connecting.answers == std::vector{status::ok});
    CHECK(s.leaf->connects == 3);
}

TEST_CASE("a receive that finds the connection lost is asked again after the next connect, never inside the call") {
    for (bool at_once : {false, true}) {
        setting s;
        s.connect();
        if (at_once) s.leaf->receive_answer = status::disconnected;
        CHECK(s.link->receive(s.receive) == status::pending);
        if (!at_once) s.leaf->receiving->done(*s.leaf->receiving, status::disconnected);
        CHECK(s.leaf->connects == 1);
        CHECK(s.leaf->receives == 1);
        s.leaf->receive_answer = status::pending;
        s.until_next_try();
        CHECK(s.leaf->connects == 2);
        CHECK(s.leaf->receives == 2);
        s.leaf->receiving->done(*s.leaf->receiving, status::end);
        CHECK(s.receive.answers == std::vector{status::end});
    }
}

TEST_CASE("when a settle finds the connection lost, the receive that waits is cancelled below and goes on above") {
    setting s;
    s.connect();
    s.link->receive(s.receive);
    CHECK(s.link->settle(s.settle) == status::pending);
    s.leaf->settles[0]->done(*s.leaf->settles[0], status::disconnected);
    CHECK(s.settle.answers == std::vector{status::ok});  // the outcomes decide
    CHECK(s.leaf->cancelled.size() == 1);
    CHECK(s.clock.next() == UINT64_MAX);  // the next connect waits until nothing is in flight
    s.leaf->receiving->done(*s.leaf->receiving, status::cancelled);
    CHECK(s.receive.answers.empty());
    upper<settle_call> meanwhile;
    CHECK(s.link->settle(meanwhile) == status::pending);
    CHECK(s.leaf->settles.size() == 1);
    s.until_next_try();
    CHECK(s.leaf->receives == 2);
    CHECK(s.leaf->settles.size() == 2);
}

TEST_CASE("settles that waited are not given to a connection that the first of them finds lost again") {
    setting s;
    s.connect();
    s.link->settle(s.settle);
    s.leaf->settles[0]->done(*s.leaf->settles[0], status::disconnected);
    upper<settle_call> first, second;
    s.link->settle(first);
    s.link->settle(second);
    s.link->receive(s.receive);
    s.leaf->settle_answer = status::disconnected;
    s.until_next_try();
    CHECK(s.leaf->settles.size() == 2);
    CHECK(first.answers == std::vector{status::ok});
    CHECK(second.answers.empty());
    CHECK(s.leaf->receives == 0);
    s.leaf->settle_answer = status::ok;
    s.until_next_try();
    CHECK(second.answers == std::vector{status::ok});
    CHECK(s.leaf->receives == 1);
}

TEST_CASE("a receive that is cancelled just before the connection comes back is not asked again") {
    setting s;
    s.connect();
    s.link->receive(s.receive);
    s.leaf->receiving->done(*s.leaf->receiving, status::disconnected);
    s.leaf->connect_answer = status::pending;
    s.until_next_try();
    s.link->cancel(s.receive);
    CHECK(s.receive.answers.empty());
    s.leaf->connecting->done(*s.leaf->connecting, status::ok);
    s.box.deliver_all();
    CHECK(s.receive.answers == std::vector{status::cancelled});
    CHECK(s.leaf->receives == 1);
    CHECK(s.link->is_at_rest());
}

TEST_CASE("after stop what waits is answered by mail") {
    setting s;
    s.connect();
    s.link->receive(s.receive);
    s.leaf->receiving->done(*s.leaf->receiving, status::disconnected);
    s.link->settle(s.settle);
    s.link->stop();
    CHECK(s.receive.answers.empty());
    s.box.deliver_all();
    CHECK(s.receive.answers == std::vector{status::cancelled});
    CHECK(s.settle.answers == std::vector{status::cancelled});
    CHECK(s.link->has_given_up());
    CHECK(s.link->is_at_rest());
    CHECK(s.link->receive(s.receive) == status::cancelled);
}

TEST_CASE("a configuration that turns out wrong is told, and what waits is answered") {
    setting s;
    s.connect();
    s.link->receive(s.receive);
    s.leaf->connect_answer = status::bad_config;
    s.leaf->receiving->done(*s.leaf->receiving, status::disconnected);
    s.until_next_try();
    CHECK(s.above.bad == "cannot connect: bad configuration");
    CHECK(s.receive.answers == std::vector{status::cancelled});

    setting first{status::bad_config};
    CHECK(first.link->connect(first.connecting) == status::bad_config);
    CHECK(first.above.bad.empty());
}
