#include "fakes.hpp"

#include <doctest/doctest.h>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;

namespace {

// The inner sides: what they are told is written down; a call ends when the test says so, or at once.
struct inner_consumer : sdk::consumer {
    inner_consumer(const sdk::context& made, const sdk::no_config&) : consumer(made) {}
    sdk::status receive(sdk::receive_call& call) {
        if (!answers_at_once) return waits = call.later(), sdk::status::pending;
        auto batch = batches.open();
        batch->add("a"), batch->add("b");
        return batch.give(call);
    }
    void settle(sdk::settle_call& call) { call.all_ok(), settled += call.size(); }
    void cancel(std::uint64_t operation) {
        if (waits && waits.id() == operation) waits.complete(sdk::status::cancelled);
    }
    static inline bool answers_at_once = true;
    static inline std::uint32_t settled = 0;
    static inline sdk::operation<sdk::receive_call> waits;
    sdk::batch_pool<> batches;
};

struct inner_publisher : sdk::publisher {
    inner_publisher(const sdk::context& made, const sdk::no_config&) : publisher(made) {}
    sdk::status send(sdk::send_call& call) {
        for (const auto message : call)
            seen += message.text(), call.done(message.index()), call.answer(message.index(), "re:" + std::string(message.text()));
        if (answers_at_once) return sdk::status::done;
        return waits = call.later(), sdk::status::pending;
    }
    void cancel(std::uint64_t operation) {
        if (waits && waits.id() == operation) waits.complete(sdk::status::cancelled);
    }
    static inline bool answers_at_once = true;
    static inline std::string seen;
    static inline sdk::operation<sdk::send_call> waits;
};

// Passes everything on.
struct passing : sdk::consumer_middleware {
    passing(const sdk::context& made, const sdk::no_config&) : consumer_middleware(made) {}
};

// Puts an exclamation mark behind every payload.
struct shouting : sdk::publisher_middleware {
    shouting(const sdk::context& made, const sdk::no_config&) : publisher_middleware(made) {}
    static void promise(const sdk::no_config&, sdk::promises& inner) { inner.clear(MQB_CONCURRENT).holds(3, 1); }

    sdk::status send(sdk::send_call& call) {
        texts.clear();
        messages.copy(call.raw().messages);
        for (const auto message : call) texts.push_back(std::string(message.text()) + "!");
        for (std::uint32_t i = 0; i < call.size(); ++i) messages[i].payload = sdk::borrowed(texts[i]);
        given = call;
        below.raw().messages = messages.list();
        below.raw().outcomes = call.raw().outcomes;
        below.raw().answer = [](mqb_send* raw, std::uint32_t index, const mqb_message* response) {
            sdk::outgoing<mqb_send>::from(*raw).owner<shouting>().given.answer(index, *response);
        };
        const auto answer = below.run([this](mqb_send* raw) { return inner()->table->send(inner(), raw); }, ended, *this);
        if (answer == sdk::status::pending) above = call.later();
        return answer;
    }
    static void ended(shouting& self, sdk::status answer) { self.above.complete(answer, self.below.text()); }
    void cancel(std::uint64_t operation) {
        if (above && above.id() == operation) inner()->table->cancel(inner(), below.id());
    }

    std::vector<std::string> texts;
    sdk::changed_messages messages;
    sdk::send_call given;
    sdk::outgoing<mqb_send> below;
    sdk::operation<sdk::send_call> above;
};

const mqb_factory& middleware() { return sdk::offer_middleware<"fake", sdk::no_config, passing, shouting>::factory; }

mqb_list lend(mqb_child& child, std::uint32_t kind, void* handle) {
    child = {kind, 0, {nullptr, 0}, handle};
    return mqb_list_of(&child, 1, sizeof child);
}

struct consumers {
    testing::consumer below{sdk_test::endpoint<inner_consumer>(), "{}"};
    mqb_child child{};
    testing::consumer above{middleware(), "{}", lend(child, MQB_SIDE_CONSUMER, below.raw())};
};
struct publishers {
    testing::publisher below{sdk_test::endpoint<inner_consumer, inner_publisher>(), "{}"};
    mqb_child child{};
    testing::publisher above{middleware(), "{}", MQB_SIDE_PUBLISHER, lend(child, MQB_SIDE_PUBLISHER, below.raw())};
};

}  // namespace

TEST_CASE("a consumer middleware passes on what its author did not write") {
    consumers c;
    inner_consumer::answers_at_once = true;
    inner_consumer::settled = 0;
    auto got = c.above.receive(10);
    REQUIRE(got->size() == 2);
    CHECK(got->payload(1) == "b");
    c.above.settle_all(*got);
    CHECK(inner_consumer::settled == 2);
    c.above.free_batch(*got);
    CHECK(!c.above.raw()->table->connect);
}

TEST_CASE("a receive that waits below is cancelled below") {
    consumers c;
    inner_consumer::answers_at_once = false;
    auto waits = c.above.start_receive(10);
    CHECK(waits->was_pending());
    c.above.cancel(waits->id());
    CHECK_FALSE(waits->is_done());
    c.below.host.run_timers();
    CHECK(waits->wait() == sdk::status::cancelled);
}

TEST_CASE("a publisher middleware changes messages, and outcomes and answers come back") {
    publishers p;
    inner_publisher::seen.clear();
    inner_publisher::answers_at_once = true;
    auto sent = p.above.send({testing::message_of("a"), testing::message_of("b")});
    CHECK(sent->wait() == sdk::status::done);
    CHECK(inner_publisher::seen == "a!b!");
    CHECK(sent->outcomes[1].result == MQB_DONE);
    CHECK(sent->answers == std::vector<std::pair<std::uint32_t, std::string>>{{0, "re:a!"}, {1, "re:b!"}});
}

TEST_CASE("a send that waits below ends above when it ends below") {
    publishers p;
    inner_publisher::answers_at_once = false;
    auto sent = p.above.start_send({testing::message_of("a")});
    CHECK_FALSE(sent->is_done());
    inner_publisher::waits.complete(sdk::status::disconnected, "gone");
    CHECK(sent->wait() == sdk::status::disconnected);
    CHECK(sent->text() == "gone");
    auto cancelled = p.above.start_send({testing::message_of("a")});
    p.above.cancel(cancelled->id());
    CHECK_FALSE(cancelled->is_done());
    p.below.host.run_timers();
    CHECK(cancelled->wait() == sdk::status::cancelled);
}

TEST_CASE("a middleware changes the promises of its inner side") {
    testing::host host;
    testing::operation<mqb_promise> call(host);
    mqb_promises answer{};
    answer.struct_size = sizeof answer;
    answer.flags = MQB_CONCURRENT | MQB_ORDERED;
    call.raw().config = sdk::text_of("{}");
    call.raw().side = MQB_SIDE_PUBLISHER;
    call.raw().promises = &answer;
    REQUIRE(middleware().promises(&call.raw()) == MQB_OK);
    CHECK(answer.flags == MQB_ORDERED);
    CHECK(answer.holds_messages == 3);
    CHECK_THROWS(testing::consumer(middleware(), "{}"));  // no inner side
}
