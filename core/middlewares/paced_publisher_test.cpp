#include "core/middlewares/paced_publisher.hpp"

#include "core/middlewares/scripted_publisher_test.hpp"

using namespace mqb::core;

namespace {

using words = std::vector<std::string>;
using times = std::vector<std::uint64_t>;
constexpr std::uint64_t start = 1'000'000'000;

// Ten messages a second: each takes 100 ms.
struct setting {
    explicit setting(bool keeps_retry_order = false, std::shared_ptr<pace> speed = pace::of_messages(10))
        : paced(inner, std::move(speed), clock, keeps_retry_order, &links) {}
    status send(named_send& s) { return paced.send(s); }
    // To this time; what is due is delivered.
    void at(std::uint64_t ms) {
        clock.advance_to(start + ms * 1'000'000);
        deliver();
    }
    void deliver() {
        while (box.deliver_all()) {}
    }
    mailbox box;
    manual_timers clock{box};
    scripted_publisher inner{clock};
    chain_links links;
    paced_publisher paced;
};

}  // namespace

TEST_CASE("a send waits for the time of its messages, and those behind it for theirs, in order") {
    setting s;
    named_send abc{"abc"}, de{"de"}, f{"f"};
    CHECK(s.send(abc) == status::pending);
    CHECK(s.send(de) == status::pending);
    CHECK(s.send(f) == status::pending);
    s.at(299);
    CHECK(s.inner.log.empty());
    s.at(300);
    CHECK(s.inner.log == words{"abc"});
    s.at(500);
    s.at(600);
    CHECK(s.inner.log == words{"abc", "de", "f"});
    CHECK(s.inner.times == times{300, 500, 600});
    CHECK(s.clock.next() == UINT64_MAX);  // nothing is left to wake up for
    s.inner.answer("dra");
    s.inner.pending.front()->texts.set(whole_call, "whole");
    s.inner.answer("dd", status::retry);
    s.inner.answer("d");
    CHECK(abc.results() == "dra");
    CHECK(abc.texts.of(1) == "no r");
    CHECK(de.answers == std::vector{status::retry});
    CHECK(de.texts.of(whole_call) == "whole");
    CHECK(f.answers == std::vector{status::ok});
}

TEST_CASE("time in which nobody sends is no credit") {
    setting s;
    s.at(60'000);
    named_send ab{"ab"};
    CHECK(s.send(ab) == status::pending);
    s.at(60'199);
    CHECK(s.inner.log.empty());
    s.at(60'200);
    CHECK(s.inner.log == words{"ab"});
}

TEST_CASE("an empty send waits for nothing, and takes no time from the others") {
    setting s;
    named_send flush{""}, a{"a"};
    s.inner.script = {""};
    CHECK(s.send(flush) == status::ok);
    CHECK(s.send(a) == status::pending);
    named_send second{""};
    CHECK(s.send(second) == status::pending);
    CHECK(s.inner.log == words{"", ""});
    s.paced.cancel(second);
    CHECK(s.inner.cancelled == std::vector<call*>{&second});
    s.inner.answer("");
    CHECK(second.answers == std::vector{status::ok});
    s.at(100);
    CHECK(s.inner.log == words{"", "", "a"});
}

TEST_CASE("a cancelled wait ends at once, and its time is that of the next one") {
    setting s;
    named_send abc{"abc"}, d{"d"}, e{"e"};
    for (auto* one : {&abc, &d, &e}) CHECK(s.send(*one) == status::pending);
    s.paced.cancel(d);
    CHECK(d.answers.empty());  // never in a cancel
    s.deliver();
    CHECK(d.answers == std::vector{status::cancelled});
    CHECK(d.results() == "u");
    s.paced.cancel(abc);
    s.deliver();
    CHECK(abc.answers == std::vector{status::cancelled});
    CHECK(abc.results() == "uuu");
    s.at(99);
    CHECK(s.inner.log.empty());
    s.at(100);
    CHECK(s.inner.log == words{"e"});
    CHECK(s.inner.cancelled.empty());
    s.paced.cancel(e);
    REQUIRE(s.inner.cancelled.size() == 1);
    CHECK(s.inner.cancelled.front() == s.inner.pending.front());
}

TEST_CASE("a send that is cancelled again and again takes no time from what comes later") {
    setting s;
    for (int i = 0; i < 1000; ++i) {
        named_send a{"a"};
        REQUIRE(s.send(a) == status::pending);
        s.paced.cancel(a);
        s.deliver();
        REQUIRE(a.answers == std::vector{status::cancelled});
    }
    named_send b{"b"};
    CHECK(s.send(b) == status::pending);
    s.at(100);
    CHECK(s.inner.log == words{"b"});
}

TEST_CASE("when the route ends what waits goes on at once, in order, and nothing waits any more") {
    setting s;
    named_send abc{"abc"}, d{"d"}, e{"e"};
    s.send(abc);
    s.send(d);
    s.links.end_pauses();
    CHECK(s.inner.log.empty());
    CHECK(s.send(e) == status::pending);  // behind the others
    s.deliver();
    CHECK(s.inner.log == words{"abc", "d", "e"});
    CHECK(s.inner.times == times{0, 0, 0});
    s.inner.script = {"d"};
    named_send f{"f"};
    CHECK(s.send(f) == status::ok);
}

TEST_CASE("behind a failure everything comes back unsent, where the inner side keeps the order of what is sent again") {
    setting s{true};
    named_send ab{"ab"}, cd{"cd"}, e{"e"}, f{"f"};
    for (auto* one : {&ab, &cd, &e}) s.send(*one);
    s.at(200);
    s.paced.cancel(e);
    s.inner.answer("da");
    CHECK(ab.results() == "da");
    CHECK(cd.answers == std::vector{status::ok});
    CHECK(cd.results() == "uu");
    CHECK(e.answers == std::vector{status::cancelled});
    CHECK(s.send(f) == status::pending);  // its caller knows of the failure
    s.deliver();
    s.at(299);
    CHECK(s.inner.log == words{"ab"});
    s.at(300);
    CHECK(s.inner.log == words{"ab", "f"});
}

TEST_CASE("refusals keep the order of what is sent again as they are; without that promise nothing comes back") {
    for (const bool keeps : {true, false}) {
        setting s{keeps};
        named_send a{"a"}, b{"b"};
        s.send(a);
        s.send(b);
        s.at(100);
        s.inner.answer(keeps ? "r" : "a");
        s.at(200);
        CHECK(s.inner.log == words{"a", "b"});
    }
}

TEST_CASE("a cancelled wait is a failure to what waits behind it, where that order is kept") {
    setting s{true};
    named_send a{"a"}, b{"b"}, c{"c"};
    for (auto* one : {&a, &b, &c}) s.send(*one);
    s.paced.cancel(b);
    s.deliver();
    CHECK(a.answers.empty());
    CHECK(b.answers == std::vector{status::cancelled});
    CHECK(c.answers == std::vector{status::ok});
    CHECK(c.results() == "u");
    s.at(100);
    CHECK(s.inner.log == words{"a"});
}

TEST_CASE("a failure that is answered inside the start brings back what waits behind it too") {
    setting s{true};
    named_send a{"a"}, b{"b"};
    s.inner.script = {"a"};
    s.send(a);
    s.send(b);
    s.at(100);
    CHECK(a.results() == "a");
    CHECK(b.answers == std::vector{status::ok});
    CHECK(b.results() == "u");
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("responses come through") {
    setting s;
    struct asking : named_send {
        using named_send::named_send;
        words responses;
    } x{"ab"};
    x.answer = [](send_call& c, std::uint32_t i, const message& m) {
        static_cast<asking&>(c).responses.push_back(std::to_string(i) + std::string{m.payload.text()});
    };
    s.send(x);
    s.at(200);
    message response;
    response.payload = {reinterpret_cast<const std::uint8_t*>("re"), 2, nullptr};
    s.inner.pending.front()->answer(*s.inner.pending.front(), 1, response);
    s.inner.answer("dd");
    CHECK(x.responses == words{"1re"});
}

TEST_CASE("a close waits for the timer of a wait that was cut short") {
    setting s{true};
    named_send a{"a"}, b{"b"};
    s.send(a);
    s.send(b);
    s.at(100);
    s.inner.answer("a");
    CHECK(b.results() == "u");
    struct closing : call {
        std::vector<status> answers;
    } c;
    c.done = [](call& self, status answer) noexcept { static_cast<closing&>(self).answers.push_back(answer); };
    CHECK(s.paced.close(c) == status::pending);
    s.deliver();
    CHECK(c.answers == std::vector{status::ok});
    CHECK(s.paced.close(c) == status::ok);
}

TEST_CASE("workers with one pace share its time") {
    const auto speed = pace::of_messages(10);
    setting one{false, speed}, other{false, speed};
    named_send a{"a"}, b{"b"}, c{"c"};
    one.send(a);
    other.send(b);
    one.send(c);
    for (std::uint64_t ms : {100u, 200u, 300u}) {
        one.at(ms);
        other.at(ms);
    }
    CHECK(one.inner.times == times{100, 300});
    CHECK(other.inner.times == times{200});
}

TEST_CASE("a delay comes before each send, whatever its size") {
    setting s{false, pace::of_calls(5'000'000)};
    named_send a{std::string(100, 'a')}, b{"b"};
    s.send(a);
    s.send(b);
    s.at(5);
    s.at(10);
    CHECK(s.inner.times == times{5, 10});
    setting none{false, pace::of_calls(0)};
    none.inner.script = {"d"};
    named_send c{"c"};
    CHECK(none.send(c) == status::ok);
}

TEST_CASE("a wait that is cancelled while another send is answered ends at once too") {
    for (const bool keeps : {false, true}) {
        setting s{keeps};
        named_send b{"b"}, c{"c"};
        struct canceller : named_send {
            using named_send::named_send;
            paced_publisher* at = nullptr;
            call* other = nullptr;
        } a{"a"};
        a.at = &s.paced;
        a.other = &c;
        a.done = [](call& self, status) noexcept {
            auto& mine = static_cast<canceller&>(self);
            mine.at->cancel(*mine.other);
        };
        s.inner.script = {"d"};
        s.send(a);
        s.send(b);
        s.send(c);
        s.at(100);
        CHECK(c.answers == std::vector{status::cancelled});
        CHECK(c.results() == "u");
        CHECK(b.answers.empty());
        s.at(200);
        CHECK(s.inner.log == words{"a", "b"});
        CHECK(s.clock.next() == UINT64_MAX);
    }
}
