// A publisher with ordered retry: no start crosses the `done` of a send that left something undone.
#include "fakes.hpp"
#include "host/loading/plugin_publisher.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace mqb;
using namespace mqb::boundary;
using core::send_result;
using core::status;

namespace {

struct sending : recorded<core::send_call> {
    explicit sending(std::vector<std::string> payloads) : given(std::move(payloads)), results(given.messages.size()) {
        messages = loading::to_core<const core::message>(given.list());
        outcomes = std::span<core::outcome>{results};
    }
    some_messages given;
    std::vector<core::outcome> results;
};

struct fixture {
    explicit fixture(bool keeps_retry_order = true)
        : publisher(make_instance(side), &fake.base, fake_publisher::table, nullptr, false, keeps_retry_order) {
        fake.send = [this](mqb_send* s) {
            started.push_back(s);
            return MQB_PENDING;
        };
    }
    ~fixture() { CHECK(close(side, publisher) == status::ok); }
    // What the plugin does on a thread of its own.
    static void complete(mqb_send* s, std::int32_t result) {
        for (std::uint32_t i = 0; i < s->outcomes.count; ++i) mqb_outcome_at(&s->outcomes, i)->result = result;
        s->call.done(&s->call, MQB_OK);
    }
    void finish(std::size_t n, std::int32_t result, sending& c) {
        complete(started.at(n), result);
        CHECK(side.deliver_until([&] { return c.completions == 1; }));
    }
    route_side side;
    fake_publisher fake;
    std::vector<mqb_send*> started;
    loading::plugin_publisher publisher;
};
struct plain_fixture : fixture {
    plain_fixture() : fixture(false) {}
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "between such a `done` and its delivery nothing is started but an empty send") {
    sending one{{"1"}}, two{{"2", "3"}}, flush{{}};
    CHECK(publisher.send(one) == status::pending);
    std::thread{[this] { complete(started[0], MQB_AGAIN); }}.join();
    CHECK(publisher.send(two) == status::ok);
    CHECK(two.results[0].sent() == send_result::unsent);
    CHECK(two.results[1].sent() == send_result::unsent);
    CHECK(started.size() == 1);
    CHECK(publisher.send(flush) == status::pending);
    CHECK(side.deliver_until([&] { return one.completions == 1; }));
    CHECK(one.results[0].sent() == send_result::again);
    CHECK(publisher.send(two) == status::pending);
    CHECK(started.size() == 3);
    finish(1, MQB_DONE, flush);
    finish(2, MQB_DONE, two);
}

TEST_CASE_FIXTURE(fixture, "a send whose messages are done or refused holds nothing up") {
    sending one{{"1"}}, two{{"2"}}, three{{"3"}};
    CHECK(publisher.send(one) == status::pending);
    CHECK(publisher.send(two) == status::pending);
    complete(started[0], MQB_DONE);
    complete(started[1], MQB_REFUSED);
    CHECK(publisher.send(three) == status::pending);
    finish(2, MQB_DONE, three);
    CHECK(two.results[0].sent() == send_result::refused);
}

TEST_CASE_FIXTURE(fixture, "a `done` on another thread waits for the start that is on its way") {
    sending one{{"1"}}, two{{"2"}};
    CHECK(publisher.send(one) == status::pending);
    std::atomic<bool> calls{false}, returned{false};
    std::thread other;
    fake.send = [&](mqb_send* s) {
        started.push_back(s);
        other = std::thread{[&] {
            calls = true;
            complete(started[0], MQB_AGAIN);
            returned = true;
        }};
        while (!calls) std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        CHECK_FALSE(returned);
        CHECK_FALSE(side.box.has_mail());
        return MQB_PENDING;
    };
    CHECK(publisher.send(two) == status::pending);
    other.join();
    CHECK(returned);
    CHECK(side.deliver_until([&] { return one.completions == 1; }));
    finish(1, MQB_UNSENT, two);
}

TEST_CASE_FIXTURE(fixture, "a start may complete another send, which is delivered before the next one starts") {
    sending one{{"1"}}, two{{"2"}}, three{{"3"}};
    CHECK(publisher.send(one) == status::pending);
    fake.send = [&](mqb_send* s) {
        started.push_back(s);
        complete(started[0], MQB_AGAIN);
        return MQB_OK;  // unsent: its lane was broken when it was started
    };
    CHECK(publisher.send(two) == status::ok);
    CHECK(two.results[0].sent() == send_result::unsent);
    CHECK(publisher.send(three) == status::ok);
    CHECK(started.size() == 2);
    CHECK(side.deliver_until([&] { return one.completions == 1; }));
}

TEST_CASE_FIXTURE(plain_fixture, "without ordered retry a send is started at any time") {
    sending one{{"1"}}, two{{"2"}};
    CHECK(publisher.send(one) == status::pending);
    complete(started[0], MQB_AGAIN);
    CHECK(publisher.send(two) == status::pending);
    finish(1, MQB_DONE, two);
    CHECK(one.completions == 1);
}
