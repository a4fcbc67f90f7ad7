#include "core/middlewares/paced_consumer.hpp"

#include "core/middlewares/delay.hpp"
#include "core/middlewares/hand_source_test.hpp"
#include "core/middlewares/limiter.hpp"

#include <limits>

using namespace mqb::core;

namespace {

using answers = std::vector<status>;
constexpr std::uint64_t start = 1'000'000'000;

// A limit of ten messages a second, or a delay of 5 ms.
struct setting {
    explicit setting(paced_consumer::waits when = paced_consumer::waits::after)
        : paced(inner, when, when == paced_consumer::waits::after ? pace::of_messages(10) : pace::of_calls(5'000'000), clock, &links) {}
    status receive() {
        upper.answers.clear();
        return paced.receive(upper);
    }
    void at(std::uint64_t ms) {
        clock.advance_to(start + ms * 1'000'000);
        deliver();
    }
    void deliver() {
        while (box.deliver_all()) {}
    }
    mailbox box;
    manual_timers clock{box};
    hand_source inner;
    chain_links links;
    named_receive upper;
    paced_consumer paced;
};

}  // namespace

TEST_CASE("a batch waits for the time of its messages after it was read") {
    setting s;
    s.inner.script = {"abc", "d"};
    CHECK(s.receive() == status::pending);
    s.at(299);
    CHECK(s.upper.answers.empty());
    s.at(300);
    CHECK(s.upper.answers == answers{status::ok});
    CHECK(s.upper.letters() == "abc");
    CHECK(s.upper.batch == &s.inner.batches.front());
    s.at(1000);  // nobody reads
    CHECK(s.receive() == status::pending);
    s.at(1099);
    CHECK(s.upper.answers.empty());
    s.at(1100);
    CHECK(s.upper.letters() == "d");
    CHECK(settle(s.paced, s.upper.batch, {0}) == "o");
    CHECK(s.inner.settled == std::vector<std::string>{"d"});
    s.paced.free_batch(s.upper.batch);
    CHECK(s.inner.freed == std::vector<std::string>{"d"});
    s.paced.lanes_done(7);
    CHECK(s.inner.tokens == std::vector<std::uint64_t>{7});
}

TEST_CASE("what brings no message waits for nothing: an empty receive, an end, a lost connection") {
    setting s;
    s.inner.script = {"", "!end", "!lost"};
    CHECK(s.receive() == status::ok);
    CHECK(s.upper.batch == nullptr);
    CHECK(s.receive() == status::end);
    CHECK(s.receive() == status::disconnected);
    CHECK(s.upper.texts.of(whole_call) == "gone");
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("a batch that comes later waits too") {
    setting s;
    CHECK(s.receive() == status::pending);
    s.at(5000);
    s.inner.come("ab");
    CHECK(s.upper.answers.empty());
    s.at(5200);
    CHECK(s.upper.letters() == "ab");
}

TEST_CASE("a batch whose receive is cancelled in the wait is given at once; the rate stays what it is") {
    setting s;
    s.inner.script = {"abc", "d"};
    s.receive();
    s.paced.cancel(s.upper);
    CHECK(s.upper.answers.empty());  // never in a cancel
    s.deliver();
    CHECK(s.upper.answers == answers{status::ok});
    CHECK(s.upper.letters() == "abc");
    CHECK(s.inner.cancelled.empty());
    s.receive();
    s.at(399);
    CHECK(s.upper.answers.empty());
    s.at(400);
    CHECK(s.upper.letters() == "d");
}

TEST_CASE("a receive that is cancelled while the source has nothing is the source's to end") {
    setting s;
    s.receive();
    s.paced.cancel(s.upper);
    CHECK(s.inner.cancelled.size() == 1);
    s.inner.come("!cancelled");
    CHECK(s.upper.answers == answers{status::cancelled});
    s.receive();
    s.paced.cancel(s.upper);
    s.inner.come("abc");  // it had them already
    CHECK(s.upper.answers == answers{status::ok});
    CHECK(s.upper.letters() == "abc");
}

TEST_CASE("lanes that end, and the end of the route, cut the wait short") {
    for (const bool is_end : {false, true}) {
        setting s;
        s.inner.script = {"abc", "d"};
        s.receive();
        const std::uint64_t lane = 'a';
        if (is_end)
            s.links.end_pauses();
        else
            s.paced.lanes_ending({&lane, 1}, 0);
        CHECK(s.upper.answers.empty());
        s.deliver();
        CHECK(s.upper.letters() == "abc");
        CHECK(s.receive() == (is_end ? status::ok : status::pending));
    }
}

TEST_CASE("a delay comes before each receive, and a cancel ends it with nothing read") {
    setting s{paced_consumer::waits::before};
    s.inner.script = {"abc", "", "d"};
    CHECK(s.receive() == status::pending);
    CHECK(s.inner.receives == 0);
    s.at(5);
    CHECK(s.upper.letters() == "abc");
    s.receive();
    s.at(10);
    CHECK(s.upper.answers == answers{status::ok});
    CHECK(s.upper.batch == nullptr);
    s.receive();
    s.paced.cancel(s.upper);
    CHECK(s.upper.answers.empty());
    s.deliver();
    CHECK(s.upper.answers == answers{status::cancelled});
    CHECK(s.inner.receives == 2);
    s.receive();
    const std::uint64_t lane = 'a';
    s.paced.lanes_ending({&lane, 1}, 0);  // it has none
    s.at(14);
    CHECK(s.inner.receives == 2);
    s.at(15);
    CHECK(s.upper.letters() == "d");
    s.receive();
    s.links.end_pauses();
    s.deliver();
    CHECK(s.inner.receives == 4);
}

TEST_CASE("what a limit and a delay have to be") {
    const limiter_factory limit;
    const delay_factory delay;
    promises inner;
    inner.flags = promises::all_flags;
    for (const char* wrong : {R"({"messages_per_second": 0})", R"({"messages_per_second": -1})", "{}", "7", "[", "null"}) {
        INFO(wrong);
        const auto made = limit.promise(wrong, publisher_side, inner);
        REQUIRE(!made);
        CHECK(made.error().what == status::bad_config);
    }
    for (const char* wrong : {R"({"delay_ms": -1})", "{}"}) CHECK(!delay.promise(wrong, consumer_side, inner));
    for (const char* right : {R"({"messages_per_second": 1e-9})", R"({"messages_per_second": 2000.5})"})
        CHECK(limit.promise(right, publisher_side, inner)->flags == promises::all_flags);
    CHECK(delay.promise(R"({"delay_ms": 0})", consumer_side, inner)->flags == promises::all_flags);
}
