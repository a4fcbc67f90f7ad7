#include "core/leaf_gate.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mqb::core;

namespace {

// Keeps every send until the test ends it; writes down how many messages each has.
struct slow_leaf final : publisher {
    status connect(call&) override { return status::ok; }
    status send(send_call& c) override {
        log += std::to_string(c.messages.count);
        sends.push_back(&c);
        return status::pending;
    }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
    void end_first() {
        send_call& c = *sends.front();
        sends.erase(sends.begin());
        c.done(c, status::ok);
    }
    std::string log;
    std::vector<send_call*> sends;
};

// A send of so many messages.
struct try_send : send_call {
    explicit try_send(std::uint32_t count) : given(count), results(count) {
        messages = message_list{std::span<const message>{given}};
        outcomes = list<outcome>{std::span<outcome>{results}};
        done = [](call& c, status came) noexcept { static_cast<try_send&>(c).answer = came; };
    }
    std::vector<message> given;
    std::vector<outcome> results;
    status answer = status::pending;
};

struct gate_under_test {
    explicit gate_under_test(std::uint32_t flags) : gate(leaf, promised(flags), box), first(gate.add_door()), second(gate.add_door()) {
        gate.begin(0, 7);
        gate.begin(1, 8);
    }
    static promises promised(std::uint32_t flags) {
        promises p;
        p.flags = flags;
        return p;
    }
    void deliver() {
        while (box.deliver_all()) {}
    }
    slow_leaf leaf;
    mailbox box;
    leaf_gate gate;
    publisher& first;
    publisher& second;
};

}  // namespace

TEST_CASE("an ordered leaf gets the batches in their order, whichever worker is ready first") {
    gate_under_test t{promises::ordered | promises::ordered_retry};
    try_send early{2}, late{1};
    CHECK(t.second.send(early) == status::pending);
    t.deliver();
    CHECK(t.leaf.log.empty());
    CHECK(t.first.send(late) == status::pending);
    t.deliver();
    CHECK(t.leaf.log == "12");
    t.leaf.end_first();
    t.leaf.end_first();
    CHECK(late.answer == status::ok);
    CHECK(early.answer == status::ok);
    t.deliver();
    CHECK(t.gate.is_at_rest());
}

TEST_CASE("an empty send that overtakes its own batch does not open the gate for later ones") {
    gate_under_test t{promises::ordered | promises::ordered_retry};
    try_send flush{0}, later{2}, own{1};
    CHECK(t.first.send(flush) == status::pending);  // while the batch of the first is still in a middleware
    CHECK(t.second.send(later) == status::pending);
    t.deliver();
    CHECK(t.leaf.log == "0");
    t.first.send(own);
    t.deliver();
    CHECK(t.leaf.log == "012");
    for (int i = 0; i < 3; ++i) t.leaf.end_first();
    t.deliver();
    CHECK(t.gate.is_at_rest());
}

TEST_CASE("a leaf that takes one send at a time gets one, and a batch that ends unsent lets the next one through") {
    gate_under_test t{promises::ordered};
    try_send one{1}, two{2};
    t.second.send(two);
    t.gate.end(0);
    t.deliver();
    CHECK(t.leaf.log == "2");
    t.gate.begin(0, 9);
    t.first.send(one);
    t.deliver();
    CHECK(t.leaf.log == "2");
    t.leaf.end_first();
    t.deliver();
    CHECK(t.leaf.log == "21");
    t.leaf.end_first();
    CHECK(one.answer == status::ok);
}

TEST_CASE("a send that waits at the gate is cancelled without having been sent") {
    gate_under_test t{promises::ordered};
    try_send waiting{2};
    t.second.send(waiting);
    t.second.cancel(waiting);
    t.deliver();
    CHECK(waiting.answer == status::cancelled);
    CHECK(t.leaf.log.empty());
    CHECK(t.gate.is_at_rest());
}
