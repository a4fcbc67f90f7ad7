#include "core/middlewares/buffer_consumer.hpp"

#include "core/middlewares/buffer.hpp"
#include "core/middlewares/hand_source_test.hpp"

using namespace mqb::core;

namespace {

using words = std::vector<std::string>;
using answers = std::vector<status>;
constexpr std::uint64_t start = 1'000'000'000;

// Five messages, or 10 ms.
struct setting {
    status receive() {
        upper.answers.clear();
        return buffer.receive(upper);
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
    buffer_consumer buffer{inner, {5, 10'000'000}, clock, &links};
};

}  // namespace

TEST_CASE("what comes within the time is one batch, in order; the source is asked for what is missing") {
    setting s;
    CHECK(s.receive() == status::pending);
    s.at(100);
    s.inner.come("ab");
    s.at(105);
    s.inner.come("c");
    CHECK(s.inner.asked == std::vector<std::uint32_t>{5, 3, 2});
    s.at(109);
    CHECK(s.upper.answers.empty());
    CHECK(s.inner.cancelled.empty());
    s.at(110);
    CHECK(s.inner.cancelled.size() == 1);  // its receive is ended
    s.inner.come("!cancelled");
    CHECK(s.upper.answers == answers{status::ok});
    CHECK(s.upper.letters() == "abc");
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("enough messages are given at once, and a receive that ends early gives what it brings") {
    setting s;
    s.inner.script = {"ab", "cde"};
    CHECK(s.receive() == status::ok);
    CHECK(s.upper.letters() == "abcde");
    s.receive();
    s.inner.come("f");
    s.deliver();  // the timer of the receive before says nothing here
    CHECK(s.upper.answers.empty());
    CHECK(s.inner.cancelled.empty());
    s.at(10);
    s.inner.come("g");  // although it is cancelled
    CHECK(s.upper.letters() == "fg");
}

TEST_CASE("a caller that takes few gets few, and bytes are bounded too") {
    setting s;
    s.upper.max_messages = 2;
    s.inner.script = {"a", "b"};
    CHECK(s.receive() == status::ok);
    CHECK(s.upper.letters() == "ab");
    s.upper.max_messages = 100;
    s.upper.max_bytes = 3;
    s.inner.script = {"ab", "c"};
    CHECK(s.receive() == status::ok);
    CHECK(s.upper.letters() == "abc");
}

TEST_CASE("a cancel, lanes that end and the end of the route give what is there; with nothing there a cancel is a cancel") {
    for (const int why : {0, 1, 2}) {
        setting s;
        s.receive();
        s.inner.come("ab");
        const std::uint64_t lane = 'a';
        if (why == 0) s.buffer.cancel(s.upper);
        if (why == 1) s.buffer.lanes_ending({&lane, 1}, 0);
        if (why == 2) s.links.end_pauses();
        CHECK(s.upper.answers.empty());
        REQUIRE(s.inner.cancelled.size() == 1);
        s.inner.come("!cancelled");
        CHECK(s.upper.answers == answers{status::ok});
        CHECK(s.upper.letters() == "ab");
        s.receive();
        if (why == 2) {
            s.inner.come("c");  // nothing waits any more
            CHECK(s.upper.letters() == "c");
            continue;
        }
        s.buffer.lanes_ending({&lane, 1}, 0);  // it has none of them
        CHECK(s.inner.cancelled.size() == 1);
        s.buffer.cancel(s.upper);
        CHECK(s.inner.cancelled.size() == 2);
        s.inner.come("!cancelled");
        CHECK(s.upper.answers == answers{status::cancelled});
    }
}

TEST_CASE("an end, a lost connection and an empty receive end the wait, and are told when there is nothing else") {
    for (const char* how : {"!end", "!lost", ""}) {
        setting s;
        s.inner.script = {"a", how, how};
        CHECK(s.receive() == status::ok);
        CHECK(s.upper.letters() == "a");
        const status alone = s.receive();
        CHECK(alone == (std::string{how} == "!end" ? status::end : std::string{how} == "!lost" ? status::disconnected : status::ok));
        CHECK(s.upper.batch == nullptr);
        CHECK(s.upper.texts.of(whole_call) == (alone == status::disconnected ? "gone" : ""));
    }
}

TEST_CASE("each message is settled in the batch that it came in, in the order of the caller, with its outcome and text") {
    setting s;
    s.inner.script = {"ab", "cde"};
    s.receive();
    s.inner.settle_text = "so it is";
    settle_entry entries[4];
    const std::uint32_t index[] = {4, 0, 2, 1};
    for (int k = 0; k < 4; ++k) entries[k].index = index[k];
    entries[1].what = disposition::nack;
    outcome outcomes[4];
    settle_call c;
    c.batch = s.upper.batch;
    c.entries = list<const settle_entry>{std::span<const settle_entry>{entries}};
    c.outcomes = list<outcome>{std::span<outcome>{outcomes}};
    CHECK(s.buffer.settle(c) == status::ok);
    CHECK(s.inner.settled == words{"an b", "e c"});
    for (const outcome& o : outcomes) CHECK(o.settled() == settle_result::ok);
    CHECK(c.texts.of(0) == "so it is");
    CHECK(settle(s.buffer, s.upper.batch, {3, 77}) == "or");
    s.buffer.free_batch(s.upper.batch);
    CHECK(s.inner.freed == words{"ab", "cde"});
    CHECK(settle(s.buffer, s.upper.batch, {0}) == "refused");
}

TEST_CASE("a settle ends when all its parts have, and is cancelled in all of them") {
    setting s;
    s.inner.script = {"ab", "cde"};
    s.receive();
    s.inner.settles_later = true;
    struct settling : settle_call {
        answers came;
    } c;
    settle_entry entries[2];
    entries[1].index = 2;
    outcome outcomes[2];
    c.batch = s.upper.batch;
    c.entries = list<const settle_entry>{std::span<const settle_entry>{entries}};
    c.outcomes = list<outcome>{std::span<outcome>{outcomes}};
    c.done = [](call& self, status answer) noexcept { static_cast<settling&>(self).came.push_back(answer); };
    CHECK(s.buffer.settle(c) == status::pending);
    REQUIRE(s.inner.settles.size() == 2);
    s.buffer.cancel(c);
    CHECK(s.inner.cancelled.size() == 2);
    s.inner.settles[1]->done(*s.inner.settles[1], status::retry);
    CHECK(c.came.empty());
    s.inner.settles[0]->done(*s.inner.settles[0], status::ok);
    CHECK(c.came == answers{status::retry});
}

TEST_CASE("where a buffer may stand") {
    const buffer_factory factory;
    promises memory, file;
    memory.flags = promises::acknowledges | promises::emptied_at_stop;
    file.flags = promises::acknowledges;
    const char* right = R"({"max_messages": 5, "max_delay_ms": 10})";
    CHECK(factory.promise(right, consumer_side, memory).has_value());
    CHECK(factory.promise(right, consumer_side, file).error().what == status::bad_config);
    CHECK_FALSE(factory.promise(R"({"max_messages": 5, "max_delay_ms": 0})", consumer_side, memory).has_value());
    CHECK_FALSE(factory.promise(R"({"max_messages": 0, "max_delay_ms": 1})", publisher_side, file).has_value());
    promises output;
    output.flags = promises::ordered | promises::ordered_retry | promises::transactional;
    const auto out = factory.promise(R"({"max_messages": 5, "max_delay_ms": 0})", publisher_side, output);
    REQUIRE(out.has_value());
    CHECK(out->flags == (promises::ordered | promises::ordered_retry | promises::concurrent));
}
