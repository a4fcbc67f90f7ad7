// What a fanout remembers: which messages are the same, for how long, how much, and with which responses.
#include "core/structural/branches_test.hpp"
#include "core/structural/fanout_publisher.hpp"

#include <optional>

using namespace mqb::core;

namespace {

using strings = std::vector<std::string>;
constexpr std::uint64_t first_only = 1;

message named(std::uint8_t id, std::string_view payload, std::uint64_t lane = 0) {
    message m;
    m.id[15] = id;
    m.lane = lane;
    m.payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
    return m;
}

taken_by first() {
    taken_by out;
    out.branches = first_only;
    return out;
}

struct warnings final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::warning; }
    void write(log_level, std::string_view, std::string_view endpoint, std::string_view text) noexcept override {
        lines.push_back(std::string{endpoint} + ": " + std::string{text});
    }
    strings lines;
};

struct setting : branch_setting {
    setting() { top.emplace(make(3), false, partly_sent{clock, 1000}, stage_log{log_, "fanout", "r", "output"}); }
    warnings log_;
    std::optional<fanout_publisher> top;
};

struct asking_send : named_send {
    explicit asking_send(std::string letters) : named_send(std::move(letters)) {
        for (std::size_t i = 0; i < names.size(); ++i) messages_[i].id[0] = static_cast<std::uint8_t>(names[i]);
        answer = [](send_call& self, std::uint32_t i, const message& m) {
            static_cast<asking_send&>(self).responses.push_back(std::to_string(i) + ' ' + std::string{m.payload.text()});
        };
    }
    strings responses;
};

}  // namespace

TEST_CASE("a message is known by its id, lane and payload, whatever its metadata; one without an id is not") {
    mailbox box;
    manual_timers clock{box};
    partly_sent memory{clock, 100};
    CHECK(memory.is_empty());
    memory.put(named(1, "a", 5), first());
    CHECK(memory.take(named(2, "a", 5)).branches == 0);
    CHECK(memory.take(named(1, "b", 5)).branches == 0);
    CHECK(memory.take(named(1, "a", 6)).branches == 0);
    message other = named(1, "a", 5);
    other.metadata = other.payload;
    other.delivery_count = 7;
    CHECK(memory.take(other).branches == first_only);
    CHECK(memory.take(other).branches == 0);
    CHECK(memory.is_empty());
    memory.put(named(0, "a"), first());
    CHECK(memory.is_empty());
    message null = named(1, "");
    null.payload = {};
    memory.put(null, first());
    CHECK(memory.take(named(1, "")).branches == 0);
    CHECK(memory.take(null).branches == first_only);
}

TEST_CASE("two messages that cannot be told apart are counted") {
    mailbox box;
    manual_timers clock{box};
    partly_sent memory{clock, 100};
    memory.put(named(1, "a"), first());
    memory.put(named(1, "a"), first());
    CHECK(memory.take(named(1, "a")).branches == first_only);
    CHECK(memory.take(named(1, "a")).branches == first_only);
    CHECK(memory.take(named(1, "a")).branches == 0);
}

TEST_CASE("what nobody asks for is forgotten: after an hour or two, or the oldest where there are too many") {
    mailbox box;
    manual_timers clock{box};
    partly_sent memory{clock, 3};
    const std::uint64_t began = clock.now_steady();
    memory.put(named(1, "a"), first());
    clock.advance_to(began + partly_sent::kept_ns - 1);
    CHECK(memory.take(named(1, "a")).branches == first_only);
    memory.put(named(1, "a"), first());
    clock.advance_to(began + 3 * partly_sent::kept_ns);
    CHECK(memory.take(named(1, "a")).branches == 0);
    CHECK(memory.is_empty());

    for (std::uint8_t id = 1; id <= 7; ++id) memory.put(named(id, "a"), first());
    for (std::uint8_t id = 1; id <= 3; ++id) CHECK(memory.take(named(id, "a")).branches == 0);
    for (std::uint8_t id = 4; id <= 7; ++id) CHECK(memory.take(named(id, "a")).branches == first_only);
    CHECK(memory.is_empty());
}

TEST_CASE("what nobody asks for is forgotten in time however much comes and goes meanwhile") {
    mailbox box;
    manual_timers clock{box};
    partly_sent memory{clock, 100};
    const std::uint64_t began = clock.now_steady(), step = partly_sent::kept_ns / 4;
    memory.put(named(1, "a"), first());
    for (std::uint64_t n = 1; n <= 9; ++n) {
        clock.advance_to(began + n * step);
        memory.put(named(2, "b"), first());
        CHECK_FALSE(memory.is_empty());
        CHECK(memory.take(named(2, "b")).branches == first_only);
    }
    CHECK(memory.is_empty());
    CHECK(memory.take(named(1, "a")).branches == 0);
}

TEST_CASE("a response is kept with what was sent in part; where there is no room its branch counts as one without the message") {
    mailbox box;
    manual_timers clock{box};
    partly_sent memory{clock, 100};
    const std::string large(partly_sent::most_response_bytes / 2, 'x');
    const auto answered = [&] {
        taken_by out;
        out.branches = 3;
        out.response = std::make_unique<branch_response>();
        out.response->number = 1;
        out.response->what = owned_message{named(9, large)};
        return out;
    };
    memory.put(named(1, "a"), answered());
    memory.put(named(2, "a"), answered());
    CHECK(memory.take(named(2, "a")).branches == first_only);
    taken_by kept = memory.take(named(1, "a"));
    CHECK(kept.branches == 3);
    CHECK(kept.response->what.get().payload.size == large.size());
    memory.put(named(2, "a"), answered());  // there is room again
    CHECK(memory.take(named(2, "a")).branches == 3);
}

TEST_CASE("the answer of the first branch in the list counts, whatever comes first; that there are more is told once") {
    setting s;
    asking_send x{"ab"};
    s.run(*s.top, x);
    for (scripted_branch* b : s.at) CHECK(b->wants_responses);
    s.at[2]->respond(0, "third");
    s.at[1]->respond(0, "second");
    s.at[2]->respond(1, "third");
    for (scripted_branch* b : s.at) {
        CHECK(x.responses.empty());
        b->by.answer("dd");
    }
    CHECK(x.responses == strings{"0 second", "1 third"});
    CHECK(s.log_.lines ==
          strings{"output: fanout: more than one endpoint answers a message; the answer of the first one in the list counts"});
    asking_send y{"c"};
    s.run(*s.top, y);
    s.at[0]->respond(0, "first");
    s.at[1]->respond(0, "second");
    for (scripted_branch* b : s.at) b->by.answer("d");
    CHECK(y.responses == strings{"0 first"});
    CHECK(s.log_.lines.size() == 1);
}

TEST_CASE("a failure wins over an answer, which is given when the message is sent again and done") {
    setting s;
    asking_send x{"ab"};
    s.run(*s.top, x);
    s.at[0]->respond(0, "first");
    s.at[0]->respond(1, "lost");
    s.at[0]->by.answer("da");
    s.at[1]->by.answer("rd");
    s.at[2]->by.answer("ad");
    CHECK(x.results() == "aa");
    CHECK(x.responses.empty());
    asking_send y{"ba"};
    s.run(*s.top, y);
    CHECK(s.log(0).back() == "b");
    CHECK(s.log(1).back() == "a");
    s.at[0]->respond(0, "for b");
    s.at[0]->by.answer("d");
    s.at[2]->respond(0, "third");
    s.at[1]->by.answer("d");
    s.at[2]->by.answer("d");
    CHECK(y.results() == "dd");
    CHECK(y.responses == strings{"0 for b", "1 first"});
    // Refused in the end: no answer.
    asking_send z{"c"};
    s.run(*s.top, z);
    s.at[0]->respond(0, "first");
    s.at[0]->by.answer("d");
    s.at[1]->by.answer("r");
    s.at[2]->by.answer("d");
    CHECK(z.results() == "r");
    CHECK(z.responses.empty());
}

TEST_CASE("where nobody wants responses none is kept") {
    setting s;
    named_send x{"a"};
    s.run(*s.top, x);
    for (scripted_branch* b : s.at) CHECK_FALSE(b->wants_responses);
}
