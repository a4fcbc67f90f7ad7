// The scripted endpoints keep to their scripts.
#include "tests/scripted/scripted.hpp"

#include "core/ledger.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using core::send_result;
using core::status;

namespace {

constexpr std::uint64_t ms = 1'000'000;

struct setting {
    core::mailbox box;
    core::manual_timers clock{box};
    scripted::timed_log log;
    std::uint64_t start = clock.now_steady();
    void advance(std::uint64_t to_ms) {
        clock.advance_to(start + to_ms * ms);
        box.deliver_all();
    }
};

template <class Call>
struct upper : Call {
    upper() {
        this->done = [](core::call& c, status s) noexcept { static_cast<upper&>(c).answers.push_back(s); };
    }
    std::vector<status> answers;
};

struct one_send : upper<core::send_call> {
    explicit one_send(std::string_view text) {
        m.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
        messages = core::message_list{std::span<const core::message>{&m, 1}};
        outcomes = core::list<core::outcome>{std::span<core::outcome>{&o, 1}};
        answer = [](core::send_call& c, std::uint32_t, const core::message& r) { static_cast<one_send&>(c).response = r.payload.text(); };
    }
    core::message m;
    core::outcome o;
    std::string response;
};

}  // namespace

TEST_CASE("a scripted publisher answers each message as its script says, after its delay") {
    setting s;
    scripted::publisher out{s.box,
                            s.clock,
                            s.log,
                            {{.response = "at once"},
                             {.delay_ns = 30 * ms, .response = "late"},
                             {.result = send_result::again, .not_before_ns = 5, .text = "busy"},
                             {.result = send_result::unsent, .status = status::disconnected},
                             {.delay_ns = 10 * ms, .result = send_result::refused}}};
    one_send a{"a"}, b{"b"}, c{"c"}, d{"d"}, e{"e"}, f{"f"};
    CHECK(out.send(a) == status::ok);
    CHECK(a.response == "at once");
    CHECK(out.send(b) == status::pending);
    CHECK(out.send(c) == status::ok);
    CHECK(c.o.sent() == send_result::again);
    CHECK(c.o.number == 5);
    CHECK(c.texts.of(0) == "busy");
    CHECK(out.send(d) == status::disconnected);
    CHECK(out.send(e) == status::pending);
    s.advance(10);
    CHECK(e.answers == std::vector{status::ok});
    CHECK(e.o.sent() == send_result::refused);
    CHECK(b.answers.empty());
    s.advance(30);
    CHECK(b.response == "late");
    CHECK(out.send(f) == status::ok);
    CHECK(f.o.sent() == send_result::done);
    const auto entries = s.log.entries();
    CHECK(entries.back().what == "answered 1");
    CHECK(entries[8].at_ns == s.start + 10 * ms);
}

TEST_CASE("a scripted send that never answers is uncertain when it is cancelled, and answered once") {
    setting s;
    scripted::publisher out{s.box, s.clock, s.log, {{.never = true}, {.delay_ns = 10 * ms}}};
    one_send a{"a"}, b{"b"};
    out.send(a);
    out.send(b);
    s.advance(5);
    out.cancel(a);
    out.cancel(b);
    out.cancel(b);
    CHECK(a.answers.empty());
    s.advance(20);
    CHECK(a.answers == std::vector{status::cancelled});
    CHECK(b.answers == std::vector{status::cancelled});
    CHECK(a.o.sent() == send_result::uncertain);
}

TEST_CASE("a scripted consumer gives its requests at their times, takes replies, and gives again what was freed unsettled") {
    setting s;
    scripted::consumer in{s.box, s.clock, s.log, {{.payload = "one"}, {.payload = "two", .delay_ns = 20 * ms}}};
    upper<core::receive_call> r;
    CHECK(in.receive(r) == status::ok);
    in.free_batch(r.batch);
    CHECK(in.receive(r) == status::ok);
    CHECK(r.messages[0].payload.text() == "one");
    core::message reply;
    reply.payload = {reinterpret_cast<const std::uint8_t*>("yes"), 3, nullptr};
    core::settle_entry e;
    e.what = core::disposition::reply;
    e.reply = &reply;
    core::outcome o;
    core::settle_call c;
    c.batch = r.batch;
    c.entries = core::list<const core::settle_entry>{std::span<const core::settle_entry>{&e, 1}};
    c.outcomes = core::list<core::outcome>{std::span<core::outcome>{&o, 1}};
    CHECK(in.settle(c) == status::ok);
    in.free_batch(r.batch);
    CHECK(in.receive(r) == status::pending);
    s.advance(19);
    CHECK(r.answers.empty());
    in.cancel(r);
    s.advance(19);
    CHECK(r.answers == std::vector{status::cancelled});
    CHECK(in.receive(r) == status::pending);
    s.advance(39);
    CHECK(r.answers.back() == status::ok);
    in.free_batch(r.batch);
    CHECK(s.log.text() == "request one\nrequest one\nreply one: yes\nrequest two\n");
}
