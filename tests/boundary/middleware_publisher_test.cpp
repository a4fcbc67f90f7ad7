// Middleware plugins around a publisher of core, and arrays that are laid out anew while checking.
#include "fakes.hpp"
#include "host/loading/lent_publisher.hpp"
#include "host/loading/plugin_publisher.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

struct inner_publisher final : core::publisher {
    std::vector<std::string> seen;
    status answer = status::ok;
    core::send_call* pending = nullptr;

    status connect(core::call&) override { return status::ok; }
    status send(core::send_call& c) override {
        std::string text = "send";
        for (std::uint32_t i = 0; i < c.messages.count; ++i) {
            text += " " + std::string{c.messages[i].payload.text()};
            c.outcomes[i].set(core::send_result::done);
        }
        seen.push_back(text);
        if (answer == status::pending) pending = &c;
        return answer;
    }
    void cancel(core::call&) override { seen.push_back("cancel"); }
    status close(core::call&) override { return status::ok; }
    void listen(core::event_sink*) override {}
};

}  // namespace

TEST_CASE("a send goes through a middleware plugin: messages, outcomes, responses and texts") {
    route_side side;
    inner_publisher leaf;
    auto instance = make_instance(side);
    auto lent = std::make_unique<loading::lent_publisher>(instance->door(), leaf);
    auto* below = static_cast<mqb_publisher*>(lent->handle());
    instance->lend("", std::move(lent));
    fake_publisher fake;
    static mqb_send* up;
    static mqb_send down;
    fake.send = [below](mqb_send* s) {
        up = s;
        down = {};
        down.call = {sizeof down, 0, 1, [](mqb_call*, mqb_status answer) { up->call.done(&up->call, answer); },
                     [](mqb_call*, std::uint32_t entry, mqb_text t) { up->call.explain(&up->call, entry, t); }};
        down.messages = s->messages;
        down.outcomes = s->outcomes;
        down.answer = [](mqb_send*, std::uint32_t i, const mqb_message* m) { up->answer(up, i, m); };
        return below->table->send(below, &down);
    };
    loading::plugin_publisher outer{instance, &fake.base, fake_publisher::table, &leaf};
    outer.listen(&side.events);

    some_messages given{{"a", "b"}};
    core::outcome outcomes[2]{};
    struct call : recorded<core::send_call> {
        std::vector<std::string> responses;
    } c;
    c.messages = loading::to_core<const core::message>(given.list());
    c.outcomes = std::span<core::outcome>{outcomes};
    c.answer = [](core::send_call& s, std::uint32_t i, const core::message& m) {
        static_cast<call&>(s).responses.push_back(std::to_string(i) + " " + std::string{m.payload.text()});
    };
    CHECK(outer.send(c) == status::ok);
    CHECK(outcomes[1].sent() == core::send_result::done);

    leaf.answer = status::pending;
    outcomes[0] = outcomes[1] = {};
    CHECK(outer.send(c) == status::pending);
    core::send_call* pending = std::exchange(leaf.pending, nullptr);
    some_messages reply{{"reply"}};
    pending->answer(*pending, 1, loading::to_core(reply.messages[0]));
    pending->texts.set(0, "zero");
    pending->outcomes[0].set(core::send_result::again);
    pending->done(*pending, status::ok);
    side.box.deliver_all();
    CHECK(c.completions == 1);
    CHECK(c.responses == std::vector<std::string>{"1 reply"});
    CHECK(c.texts.of(0) == "zero");
    CHECK(outcomes[0].sent() == core::send_result::again);
    CHECK(outcomes[1].sent() == core::send_result::done);
    CHECK(leaf.seen == std::vector<std::string>{"send a b", "send a b"});

    down.outcomes.count = 1;  // does not fit the messages
    CHECK(below->table->send(below, &down) == MQB_REJECTED);
    CHECK(close(side, outer) == status::ok);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake sends with arrays that do not fit"});
}

TEST_CASE("while checking, arrays have poisoned gaps, outcomes come back, and writing into a gap is found") {
    route_side side;
    fake_publisher fake;
    loading::plugin_publisher outer{make_instance(side, true), &fake.base, fake_publisher::table};
    outer.listen(&side.events);
    some_messages given{{"a", "b"}};
    core::outcome outcomes[2]{};
    recorded<core::send_call> c;
    c.messages = loading::to_core<const core::message>(given.list());
    c.outcomes = std::span<core::outcome>{outcomes};
    fake.send = [&](mqb_send* s) {
        CHECK(s->messages.first != given.messages.data());
        CHECK(s->messages.size == sizeof(mqb_message));
        CHECK(s->messages.stride == sizeof(mqb_message) + 16);
        CHECK(s->outcomes.stride == sizeof(mqb_outcome) + 16);
        CHECK(payload(mqb_message_at(&s->messages, 1)) == "b");
        mqb_outcome_at(&s->outcomes, 1)->result = MQB_DONE;
        return MQB_OK;
    };
    CHECK(outer.send(c) == status::ok);
    CHECK(outcomes[0].sent() == core::send_result::unsent);
    CHECK(outcomes[1].sent() == core::send_result::done);
#if !defined(__SANITIZE_ADDRESS__)  // which would find it first
    fake.send = [&](mqb_send* s) {
        static_cast<char*>(mqb_at(&s->outcomes, 0))[sizeof(mqb_outcome)] = 1;
        return MQB_OK;
    };
    CHECK(outer.send(c) == status::ok);
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.send wrote behind an element of an array"});
#endif
    CHECK(close(side, outer) == status::ok);
}

TEST_CASE("sends towards a publisher that takes one at a time wait in their order, and can be cancelled while they wait") {
    route_side side;
    inner_publisher leaf;
    leaf.answer = status::pending;
    auto instance = make_instance(side);
    auto lent = std::make_unique<loading::lent_publisher>(instance->door(), leaf);
    auto* below = static_cast<mqb_publisher*>(lent->handle());
    instance->lend("", std::move(lent));
    fake_publisher fake;
    static std::vector<std::string> ended;
    ended.clear();
    static mqb_send sends[3];
    some_messages given{{"a"}};
    mqb_outcome outcomes[2]{};
    fake.send = [&](mqb_send*) {
        for (std::uint64_t i = 0; i < 3; ++i) {
            sends[i] = {};
            sends[i].call = {sizeof(mqb_send), 0, i + 1,
                             [](mqb_call* c, mqb_status s) { ended.push_back(std::to_string(c->operation) + " " + std::to_string(s)); },
                             [](mqb_call*, std::uint32_t, mqb_text) {}};
            if (i < 2) {
                sends[i].messages = given.list();
                sends[i].outcomes = mqb_list_of(&outcomes[i], 1, sizeof(mqb_outcome));
            }
            CHECK(below->table->send(below, &sends[i]) == MQB_PENDING);
        }
        below->table->cancel(below, 2);
        return MQB_OK;
    };
    loading::plugin_publisher outer{instance, &fake.base, fake_publisher::table, &leaf};
    outer.listen(&side.events);
    recorded<core::send_call> c;
    CHECK(outer.send(c) == status::ok);
    CHECK(leaf.seen == std::vector<std::string>{"send a"});
    CHECK(ended.empty());
    side.box.deliver_all();
    CHECK(ended == std::vector<std::string>{"2 7"});
    core::send_call* first = std::exchange(leaf.pending, nullptr);
    first->done(*first, status::ok);
    CHECK(leaf.seen == std::vector<std::string>{"send a", "send"});
    first = std::exchange(leaf.pending, nullptr);
    first->done(*first, status::ok);
    CHECK(ended == std::vector<std::string>{"2 7", "1 0", "3 0"});
    const std::uint64_t lane = 4;
    mqb_event ending{};
    ending.struct_size = sizeof ending;
    ending.kind = MQB_LANES_ENDING;
    ending.lanes = &lane;
    ending.lane_count = 1;
    mqb_host* host = instance->host().handle();
    host->table->event(host, &ending);  // of a publisher: goes nowhere
    side.box.deliver_all();
    CHECK(side.events.all.empty());
    CHECK(close(side, outer) == status::ok);
}
