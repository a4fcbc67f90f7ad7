#include "core/middlewares/buffer_publisher.hpp"

#include "core/middlewares/scripted_publisher_test.hpp"

using namespace mqb::core;

namespace {

using words = std::vector<std::string>;
using answers = std::vector<status>;
constexpr std::uint64_t start = 1'000'000'000;

// Four messages, or 10 ms.
struct setting {
    explicit setting(bool keeps_retry_order = false, buffer_publisher::limits most = {4, 10'000'000})
        : buffer(inner, most, keeps_retry_order, box, clock, &links) {}
    void send(std::initializer_list<named_send*> all) {
        for (named_send* one : all) CHECK(buffer.send(*one) == status::pending);
        deliver();
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
    scripted_publisher inner{clock};
    chain_links links;
    buffer_publisher buffer;
};

}  // namespace

TEST_CASE("single sends that come within the time are one, and each has its own outcome and text") {
    setting s;
    named_send a{"a"}, b{"b"}, c{"c"};
    s.send({&a});
    s.at(5);
    s.send({&b, &c});
    s.at(9);
    CHECK(s.inner.log.empty());
    s.at(10);
    CHECK(s.inner.log == words{"abc"});
    s.inner.answer("dar");
    CHECK(a.results() + b.results() + c.results() == "dar");
    CHECK(a.answers == answers{status::ok});
    CHECK(b.texts.best(0) == "no a");
    CHECK(c.texts.best(0) == "no r");
    CHECK(a.texts.empty());
}

TEST_CASE("enough messages go at once; one send is below at a time, and what comes meanwhile goes together") {
    setting s;
    named_send ab{"ab"}, cd{"cd"}, e{"e"}, f{"f"};
    s.send({&ab, &cd});
    CHECK(s.inner.log == words{"abcd"});
    s.at(3);
    s.send({&e});
    s.at(8);
    s.send({&f});
    s.at(50);
    CHECK(s.inner.log == words{"abcd"});
    s.inner.answer("dddd");
    CHECK(s.inner.log == words{"abcd", "ef"});  // they have waited long enough
    s.inner.answer("dd");
    CHECK(f.answers == answers{status::ok});
}

TEST_CASE("with no delay what is there goes at once, and what comes while it is below goes together") {
    setting s{false, {100, 0}};
    named_send a{"a"}, b{"b"}, c{"c"}, d{"d"};
    s.send({&a});
    CHECK(s.inner.log == words{"a"});
    s.send({&b});
    s.send({&c, &d});
    s.inner.answer("d");
    CHECK(s.inner.log == words{"a", "bcd"});
    s.inner.answer("ddd");
    CHECK(d.answers == answers{status::ok});
}

TEST_CASE("a send that is larger than the limit goes in parts, and ends with the last of them") {
    setting s;
    named_send large{"abcdefghi"}, j{"j"};
    s.send({&large, &j});
    CHECK(s.inner.log == words{"abcd"});
    s.inner.answer("dddr");
    CHECK(s.inner.log == words{"abcd", "efgh"});
    CHECK(large.answers.empty());
    s.inner.answer("addd", status::retry);
    s.at(10);
    CHECK(s.inner.log == words{"abcd", "efgh", "ij"});
    s.inner.answer("dd");
    CHECK(large.answers == answers{status::retry});
    CHECK(large.results() == "dddradddd");
    CHECK(large.texts.of(3) == "no r");
    CHECK(large.texts.of(4) == "no a");
    CHECK(j.answers == answers{status::ok});
}

TEST_CASE("an empty send lets everything go, and is passed on when that has been answered") {
    setting s;
    named_send a{"a"}, b{"b"}, flush{""}, c{"c"};
    s.send({&a, &b, &flush, &c});
    CHECK(s.inner.log == words{"ab"});
    s.inner.answer("dd");
    CHECK(s.inner.log == words{"ab", ""});
    CHECK(flush.answers.empty());
    s.inner.pending.front()->texts.set(whole_call, "full");
    s.inner.answer("", status::retry);
    CHECK(flush.answers == answers{status::retry});
    CHECK(flush.texts.of(whole_call) == "full");
    CHECK(s.inner.log.size() == 2);  // c waits for others again
    s.at(10);
    CHECK(s.inner.log.back() == "c");
    named_send alone{""};
    s.inner.answer("d");
    s.send({&alone});
    CHECK(s.inner.log.back().empty());
}

TEST_CASE("a cancelled wait ends at once and takes nobody with it") {
    setting s;
    named_send a{"a"}, b{"b"}, flush{""};
    s.send({&a, &b});
    s.buffer.cancel(a);
    CHECK(a.answers.empty());
    s.deliver();
    CHECK(a.answers == answers{status::cancelled});
    CHECK(a.results() == "u");
    s.at(10);
    CHECK(s.inner.log == words{"b"});
    s.send({&flush});
    s.buffer.cancel(flush);
    s.deliver();
    CHECK(flush.answers == answers{status::cancelled});
    s.inner.answer("d");
    s.at(100);
    CHECK(s.inner.log == words{"b"});
}

TEST_CASE("what is below together is cancelled when nobody wants its outcome any more") {
    setting s;
    named_send a{"a"}, bcd{"bcd"};
    s.send({&a, &bcd});
    s.buffer.cancel(a);
    CHECK(s.inner.cancelled.empty());
    s.buffer.cancel(bcd);
    CHECK(s.inner.cancelled == std::vector<call*>{s.inner.pending.front()});
    s.inner.answer("du?u", status::cancelled);
    CHECK(a.results() + bcd.results() == "du?u");
    CHECK(bcd.answers == answers{status::cancelled});
}

TEST_CASE("of a large send that is cancelled no further part goes") {
    setting s;
    named_send large{"abcdef"}, g{"g"};
    s.send({&large, &g});
    s.buffer.cancel(large);
    CHECK(s.inner.cancelled.size() == 1);
    s.deliver();
    CHECK(large.answers.empty());
    s.inner.answer("dddd");
    CHECK(large.answers == answers{status::cancelled});
    CHECK(large.results() == "dddduu");
    s.at(10);
    CHECK(s.inner.log == words{"abcd", "g"});
}

TEST_CASE("behind a failure everything comes back unsent, where the order of what is sent again is kept") {
    setting s{true};
    named_send abcd{"abcd"}, e{"e"}, flush{""}, f{"f"};
    s.send({&abcd, &e, &flush, &f});
    s.buffer.cancel(f);
    s.inner.answer("dadd");
    CHECK(abcd.results() == "dadd");
    CHECK(e.answers == answers{status::ok});
    CHECK(e.results() == "u");
    CHECK(flush.answers == answers{status::retry});
    CHECK(f.answers == answers{status::cancelled});
    s.at(100);
    CHECK(s.inner.log == words{"abcd"});
    setting other{true};
    named_send x{"x"}, y{"y"}, z{"z"};
    other.send({&x, &y, &z});
    other.buffer.cancel(y);
    other.deliver();
    CHECK(y.answers == answers{status::cancelled});
    CHECK(z.answers == answers{status::ok});
    CHECK(z.results() == "u");
    other.at(10);
    CHECK(other.inner.log == words{"x"});
}

TEST_CASE("refusals are no failure of that kind, and without that promise the others go") {
    for (const bool keeps : {true, false}) {
        setting s{keeps};
        named_send abcd{"abcd"}, e{"e"};
        s.send({&abcd, &e});
        s.inner.answer(keeps ? "drdd" : "dadd");
        s.at(10);
        CHECK(s.inner.log == words{"abcd", "e"});
    }
}

TEST_CASE("when the route ends nothing waits any more") {
    setting s;
    named_send a{"a"}, b{"b"};
    s.send({&a});
    s.links.end_pauses();
    s.deliver();
    CHECK(s.inner.log == words{"a"});
    s.inner.answer("d");
    s.send({&b});
    CHECK(s.inner.log == words{"a", "b"});
}

TEST_CASE("responses find the send that they are for") {
    struct asking : named_send {
        using named_send::named_send;
        words responses;
    };
    setting s;
    asking ab{"ab"}, c{"c"};
    for (asking* one : {&ab, &c})
        one->answer = [](send_call& call, std::uint32_t i, const message& m) {
            static_cast<asking&>(call).responses.push_back(std::to_string(i) + std::string{m.payload.text()});
        };
    named_send d{"d"};  // wants none
    s.send({&ab, &c, &d});
    send_call& below = *s.inner.pending.front();
    message response;
    for (const std::uint32_t k : {2u, 1u, 3u, 9u}) {
        const std::string text = "re" + std::to_string(k);
        response.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
        below.answer(below, k, response);
    }
    s.inner.answer("dddd");
    CHECK(ab.responses == words{"1re1"});
    CHECK(c.responses == words{"0re2"});
}

TEST_CASE("a close waits for the timer") {
    setting s;
    named_send a{"a"}, b{"bcd"};
    s.send({&a});
    s.send({&b});
    s.inner.answer("dddd");
    struct closing : call {
        answers came;
    } c;
    c.done = [](call& self, status answer) noexcept { static_cast<closing&>(self).came.push_back(answer); };
    CHECK(s.buffer.close(c) == status::pending);
    s.deliver();
    CHECK(c.came == answers{status::ok});
    CHECK(s.buffer.close(c) == status::ok);
}
