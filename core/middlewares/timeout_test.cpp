#include "core/middlewares/timeout.hpp"

#include "core/middlewares/scripted_publisher_test.hpp"
#include "core/middlewares/timeout_publisher.hpp"

#include <list>

using namespace mqb::core;

namespace {

using words = std::vector<std::string>;
using answers = std::vector<status>;
constexpr std::uint64_t start = 1'000'000'000;

struct lines final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::debug; }
    void write(log_level, std::string_view, std::string_view path, std::string_view text) noexcept override {
        all.push_back(std::string{path} + ' ' + std::string{text});
    }
    words all;
};

struct counting final : event_sink {
    void on_count(std::string_view name, std::int64_t delta) override { all.push_back(std::string{name} + std::to_string(delta)); }
    words all;
};

// A limit of 100 ms.
struct setting {
    explicit setting(bool takes_several = true) : timed(inner, 100'000'000, takes_several, box, clock, {log, "timeout", "r", "output"}) {
        timed.listen(&heard);
    }
    status send(named_send& s) { return timed.send(s); }
    void at(std::uint64_t ms) {
        clock.advance_to(start + ms * 1'000'000);
        deliver();
    }
    void deliver() {
        while (box.deliver_all()) {}
    }
    mailbox box;
    manual_timers clock{box};
    lines log;
    counting heard;
    scripted_publisher inner{clock};
    timeout_publisher timed;
};

// A block of memory that counts who holds it.
struct counted final : buffer_owner {
    counted()
        : buffer_owner{sizeof(buffer_owner), 0, 1, [](buffer_owner* b) { ++static_cast<counted*>(b)->holders; },
                       [](buffer_owner* b) { --static_cast<counted*>(b)->holders; }} {}
    int holders = 0;
};

struct closing : call {
    closing() {
        done = [](call& self, status answer) noexcept { static_cast<closing&>(self).came.push_back(answer); };
    }
    answers came;
};

}  // namespace

TEST_CASE("what is answered in time has its own answer, texts and all") {
    setting s;
    s.inner.script = {"dra"};
    named_send abc{"abc"}, d{"d"};
    CHECK(s.send(abc) == status::ok);
    CHECK(abc.results() == "dra");
    CHECK(abc.texts.of(1) == "no r");
    CHECK(s.send(d) == status::pending);
    s.at(99);
    s.inner.pending.front()->texts.set(whole_call, "busy");
    s.inner.answer("a", status::retry);
    CHECK(d.answers == answers{status::retry});
    CHECK(d.results() == "a");
    CHECK(d.texts.of(whole_call) == "busy");
    s.at(500);
    CHECK(s.inner.cancelled.empty());
    CHECK(d.answers.size() == 1);
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("what is not answered in time is cancelled and has failed for now; what comes later is counted and dropped") {
    setting s;
    named_send abc{"abc"};
    CHECK(s.send(abc) == status::pending);
    s.at(99);
    CHECK(abc.answers.empty());
    s.at(100);
    CHECK(abc.answers == answers{status::ok});
    CHECK(abc.results() == "a*a*a*");
    CHECK(abc.texts.best(1) == "timeout: no answer within 100 ms; it may have arrived");
    REQUIRE(s.inner.cancelled.size() == 1);
    CHECK(s.inner.cancelled.front() == s.inner.pending.front());
    CHECK(s.timed.answered_late() == 0);
    s.inner.answer("drd");
    CHECK(abc.answers.size() == 1);
    CHECK(abc.results() == "a*a*a*");
    CHECK(s.timed.answered_late() == 1);
    CHECK(s.heard.all == words{"answered_late1"});
    CHECK(s.log.all ==
          words{"output timeout: a send was answered after it had been given up on, 2 of its 3 messages had arrived; others will "
                "only be counted"});
}

TEST_CASE("each send has its own time, with one timer for all of them") {
    setting s;
    named_send a{"a"}, b{"b"}, c{"c"};
    s.send(a);
    s.at(40);
    s.send(b);
    s.at(80);
    s.send(c);
    s.inner.answer("d");
    s.at(139);
    CHECK(a.results() == "d");
    CHECK(b.answers.empty());
    s.at(140);
    CHECK(b.results() == "a*");
    CHECK(c.answers.empty());
    s.at(180);
    CHECK(c.results() == "a*");
}

TEST_CASE("what was given up on lives until it is answered: buffers with an owner are held, others were copied") {
    setting s;
    counted block;
    auto x = std::make_unique<named_send>("ab");
    std::string bytes = "first";
    x->messages_[0].payload = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), nullptr};
    x->messages_[1].payload.owner = x->messages_[1].metadata.owner = &block;
    x->messages_[1].metadata.data = x->messages_[1].payload.data;
    s.send(*x);
    CHECK(block.holders == 0);  // borrowed
    s.at(100);
    CHECK(x->results() == "a*a*");
    CHECK(block.holders == 2);
    x.reset();
    bytes.assign("gone!");
    const send_call& late = *s.inner.pending.front();
    CHECK(late.messages.copy(0).payload.text() == "first");
    CHECK(late.messages.copy(1).payload.owner == &block);
    s.inner.answer("d?");
    CHECK(block.holders == 0);
    CHECK(s.timed.answered_late() == 1);
}

TEST_CASE("a response that comes too late goes nowhere, one in time to its message") {
    setting s;
    struct asking : named_send {
        using named_send::named_send;
        words responses;
    } x{"ab"};
    x.answer = [](send_call& c, std::uint32_t i, const message& m) {
        static_cast<asking&>(c).responses.push_back(std::to_string(i) + std::string{m.payload.text()});
    };
    s.send(x);
    message response;
    response.payload = {reinterpret_cast<const std::uint8_t*>("re"), 2, nullptr};
    send_call& below = *s.inner.pending.front();
    below.answer(below, 1, response);
    s.at(100);
    below.answer(below, 0, response);
    s.inner.answer("dd");
    CHECK(x.responses == words{"1re"});
}

TEST_CASE("an inner side that takes one send at a time gets the next when it has answered the late one, or never") {
    setting s{false};
    named_send a{"a"}, b{"b"}, c{"c"}, d{"d"};
    s.send(a);
    s.at(100);
    CHECK(s.send(b) == status::pending);
    CHECK(s.inner.log == words{"a"});
    s.at(200);
    CHECK(b.results() == "a");  // never sent: it cannot have arrived
    CHECK(b.texts.of(whole_call) == "timeout: not sent within 100 ms: what was given up on before has not been answered");
    s.send(c);
    s.inner.answer("d");
    s.deliver();
    CHECK(s.inner.log == words{"a", "c"});
    s.at(299);
    s.inner.answer("d");
    CHECK(c.results() == "d");
    CHECK(s.timed.answered_late() == 1);
    s.inner.script = {"d"};
    CHECK(s.send(d) == status::ok);
}

TEST_CASE("with the late ones no more sends are below than the caller has had open; what waits goes when one of them is answered") {
    setting s;
    constexpr std::size_t window = 5;
    std::list<named_send> all;
    for (std::size_t i = 0; i < window; ++i) CHECK(s.send(all.emplace_back("l")) == status::pending);
    s.at(100);
    named_send x{"x"}, y{"y"}, flush{""};
    s.send(x);
    s.send(y);
    s.send(flush);
    CHECK(s.inner.log.size() == window);
    s.inner.answer("d");
    s.deliver();
    CHECK(s.inner.log.size() == window + 1);
    s.inner.answer("d");
    s.deliver();
    CHECK(s.inner.log.size() == window + 2);
    for (const auto& one : all) CHECK(one.results() == "a*");
}

TEST_CASE("an empty send has no time of its own, and waits where nothing else may be sent") {
    setting s{false};
    named_send flush{""}, a{"a"}, second{""};
    CHECK(s.send(flush) == status::pending);
    s.at(5000);
    CHECK(flush.answers.empty());
    s.inner.answer("");
    CHECK(flush.answers == answers{status::ok});
    s.send(a);
    s.at(5100);
    CHECK(a.results() == "a*");
    CHECK(s.send(second) == status::pending);
    s.at(9000);
    CHECK(s.inner.log == words{"", "a"});
    s.timed.cancel(second);
    CHECK(second.answers.empty());
    s.deliver();
    CHECK(second.answers == answers{status::cancelled});
}

TEST_CASE("a cancel is passed on, and the time runs on for who does not answer it") {
    setting s{false};
    named_send a{"a"}, b{"b"};
    s.send(a);
    s.timed.cancel(a);
    REQUIRE(s.inner.cancelled.size() == 1);
    CHECK(s.inner.cancelled.front() == s.inner.pending.front());
    s.at(100);
    CHECK(a.results() == "a*");
    s.send(b);
    s.timed.cancel(b);
    CHECK(b.answers.empty());
    s.deliver();
    CHECK(b.answers == answers{status::cancelled});
    CHECK(b.results() == "u");
    call control;
    s.timed.cancel(control);
    CHECK(s.inner.cancelled.back() == &control);
}

TEST_CASE("a close waits for what is late, and for the timer") {
    setting s;
    named_send a{"a"}, b{"b"};
    s.send(a);
    s.send(b);
    s.at(100);
    closing c;
    CHECK(s.timed.close(c) == status::pending);
    s.timed.cancel(c);
    CHECK(s.inner.cancelled.size() == 4);  // asked once more
    s.deliver();
    s.inner.answer("d");
    s.deliver();
    CHECK(c.came.empty());
    s.inner.answer("u");
    s.deliver();
    CHECK(c.came == answers{status::ok});
    setting idle;
    idle.inner.script = {};
    named_send x{"x"};
    idle.send(x);
    idle.inner.answer("d");
    CHECK(idle.timed.close(c) == status::pending);  // its timer runs
    idle.deliver();
    CHECK(c.came.size() == 2);
    CHECK(idle.timed.close(c) == status::ok);
}

TEST_CASE("the order is not promised any more, and as many sends as before may be in flight") {
    const timeout_factory factory;
    constexpr auto promised = [](const promises& p) { return p.flags; };
    promises inner;
    inner.flags = promises::ordered | promises::ordered_retry | promises::transactional | promises::idempotent | promises::responds;
    const auto out = factory.promise(R"({"timeout_ms": 5})", publisher_side, inner);
    REQUIRE(out.has_value());
    CHECK(promised(*out) == (promises::concurrent | promises::idempotent | promises::responds));
    inner.flags = promises::ordered;
    CHECK(promised(*factory.promise(R"({"timeout_ms": 5})", publisher_side, inner)) == 0);
    CHECK(factory.sides() == publisher_side);
    for (const char* wrong : {R"({"timeout_ms": 0})", "{}", R"({"timeout_ms": -1})", "[]"})
        CHECK(factory.promise(wrong, publisher_side, inner).error().what == status::bad_config);
}
