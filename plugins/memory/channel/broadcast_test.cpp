#include "endpoints_test.hpp"

#include <mqb/sdk/option_parse.hpp>

#include <functional>
#include <thread>
#include <utility>

namespace sdk = mqb::sdk;
using namespace mqb::memory::testing;
using namespace std::chrono_literals;

namespace {

std::string config_of(std::string_view topic, std::string_view more = "") {
    return sdk::join("{\"topic\":\"", topic, "\",\"subscribe_mode\":true", more.empty() ? "" : ",", more, "}");
}

}  // namespace

TEST_CASE("every subscriber gets everything, in order, and what it gives back comes to it alone") {
    const std::string config = config_of("b-all");
    connected_consumer one(config), other(config);
    connected_publisher writer(config);
    CHECK(writer.send(messages({"a", "b"}))->is_done());
    CHECK(writer.send(messages({"c"}))->outcomes[0].result == MQB_DONE);
    CHECK(one.take() == "a,b,c");
    auto got = other.receive(10);
    CHECK(payloads(*got) == "a,b,c");
    other.settle(got->raw().batch, {0, 2});
    other.free_batch(*got);
    writer.send(messages({"d"}));
    auto again = other.receive(10);
    CHECK(payloads(*again) == "b,d");
    CHECK(again->message(0).delivery_count == 2);
    CHECK(again->message(1).delivery_count == 1);
    other.settle_all(*again);
    other.free_batch(*again);
    auto mine = one.receive(10);
    CHECK(payloads(*mine) == "d");
    CHECK(mine->message(0).delivery_count == 1);
    one.settle_all(*mine);
    one.free_batch(*mine);
}

TEST_CASE("a message has one id at all subscribers, and payloads are not copied") {
    const std::string config = config_of("b-ids");
    connected_consumer one(config), other(config);
    connected_publisher writer(config);
    writer.send(messages({std::string(1000, 'x')}));  // of a small one that stands in a large block, the bytes are copied
    auto here = one.receive(1), there = other.receive(1);
    CHECK(std::memcmp(here->message(0).id, there->message(0).id, 16) == 0);
    CHECK(here->message(0).payload.data == there->message(0).payload.data);
    one.settle_all(*here), other.settle_all(*there);
    one.free_batch(*here), other.free_batch(*there);
}

TEST_CASE("a consumer that is made is a subscriber, though it is not connected yet") {
    const std::string config = config_of("b-made", "\"capacity\":1");
    connected_consumer one(config);
    host::consumer late(memory(), config);
    connected_publisher writer(config);
    CHECK(writer.send(messages({"a"}))->is_done());
    CHECK(one.take() == "a");
    auto waits = writer.start_send(messages({"b"}));
    CHECK(waits->wait(20ms) == sdk::status::pending);
    CHECK(one.take() == "b");
    late.connect();
    auto got = late.receive(10);
    CHECK(payloads(*got) == "a");
    late.settle_all(*got);
    late.free_batch(*got);
}

TEST_CASE("subscribers that come at the beginning miss nothing, in whatever order they start") {
    const std::string config = config_of("b-begin", "\"capacity\":2");
    connected_publisher writer(config);
    writer.send(messages({"a"}));
    host::consumer one(memory(), config);
    one.connect();
    auto early = one.start_receive(10);
    writer.send(messages({"b"}));
    auto waits = writer.start_send(messages({"c"}));
    CHECK_FALSE(early->is_done());
    CHECK_FALSE(waits->is_done());
    host::consumer other(memory(), config);
    other.connect();
    one.host.advance(1s);
    CHECK(early->wait() == sdk::status::done);
    CHECK(payloads(*early) == "a,b");
    one.settle_all(*early), one.free_batch(*early);
    CHECK(waits->wait() == sdk::status::done);
    auto mine = one.receive(10), there = other.receive(10);
    CHECK(payloads(*mine) == "c");
    CHECK(payloads(*there) == "a,b,c");
    one.settle_all(*mine), one.free_batch(*mine);
    other.settle_all(*there), other.free_batch(*there);
}

TEST_CASE("what is sent to nobody waits for the first subscriber, within the capacity") {
    const std::string config = config_of("b-nobody", "\"capacity\":2");
    connected_publisher writer(config);
    CHECK(writer.send(messages({"a"}))->is_done());
    CHECK(writer.send(messages({"b"}))->is_done());
    auto waits = writer.start_send(messages({"c"}));
    CHECK_FALSE(waits->is_done());
    connected_consumer one(config);
    CHECK(one.take(1) == "a");
    CHECK(waits->wait() == sdk::status::done);
    CHECK(waits->outcomes[0].result == MQB_DONE);
    CHECK(one.take() == "b,c");
}

TEST_CASE("one that comes later begins with the oldest batch that is kept") {
    const std::string config = config_of("b-late", "\"capacity\":2");
    connected_consumer one(config);
    connected_publisher writer(config);
    for (const char* text : {"a", "b", "c"}) {
        writer.send(messages({text}));
        CHECK(one.take() == text);
    }
    connected_consumer late(config);
    CHECK(late.take() == "b,c");
    writer.send(messages({"d"}));
    CHECK(late.take() == "d");
    CHECK(one.take() == "d");
}

TEST_CASE("what is kept is bounded in bytes") {
    const std::string config = config_of("b-bytes", "\"capacity_bytes\":1800");
    connected_consumer one(config);
    connected_publisher writer(config);
    const std::string large(1500, 'x');
    for (int i = 0; i < 3; ++i) {
        writer.send(messages({large}));
        one.take();
    }
    writer.send(messages({"last"}));
    connected_consumer late(config);
    CHECK(late.take() == "last");
}

TEST_CASE("the slowest subscriber sets the pace, until it goes") {
    const std::string config = config_of("b-slow", "\"capacity\":1");
    connected_consumer one(config);
    connected_publisher writer(config);
    auto slow = std::make_unique<connected_consumer>(config);
    CHECK(writer.send(messages({"a"}))->is_done());
    CHECK(one.take() == "a");
    auto b = writer.start_send(messages({"b"}));
    CHECK_FALSE(b->is_done());
    CHECK(one.take() == "b");  // it does not wait for the other
    CHECK_FALSE(b->is_done());
    CHECK(slow->take() == "a");
    CHECK(b->wait() == sdk::status::done);
    auto c = writer.start_send(messages({"c"}));
    CHECK(c->wait(20ms) == sdk::status::pending);
    slow.reset();
    CHECK(c->wait() == sdk::status::done);
    CHECK(one.take() == "c");
}

TEST_CASE("with ack a message is delivered when every subscriber has settled it, or has gone") {
    const std::string config = config_of("b-ack", "\"ack\":true");
    connected_consumer one(config);
    auto other = std::make_unique<connected_consumer>(config);
    connected_publisher writer(config);
    auto sent = writer.start_send(messages({"a", "b"}));
    CHECK(one.take() == "a,b");
    CHECK(sent->wait(20ms) == sdk::status::pending);
    CHECK(other->take() == "a,b");
    CHECK(sent->wait() == sdk::status::done);
    CHECK(sent->outcomes[1].result == MQB_DONE);
    auto second = writer.start_send(messages({"c"}));
    CHECK(one.take() == "c");
    auto held = other->receive(1);
    other->free_batch(*held);
    CHECK(second->wait(20ms) == sdk::status::pending);
    other.reset();
    CHECK(second->wait() == sdk::status::done);
    CHECK(second->outcomes[0].result == MQB_DONE);
}

TEST_CASE("a send that is cancelled is unsent where nobody has it, and uncertain where somebody may") {
    const std::string config = config_of("b-cancel", "\"capacity\":1");
    connected_consumer one(config), slow(config);
    connected_publisher writer(config);
    writer.send(messages({"a"}));
    auto b = writer.start_send(messages({"b"}));
    writer.cancel(b->id());
    CHECK(b->wait() == sdk::status::cancelled);
    CHECK(b->outcomes[0].result == MQB_UNSENT);
    CHECK(one.take() == "a");
    auto c = writer.start_send(messages({"c"}));
    CHECK(one.take() == "c");
    writer.cancel(c->id());
    CHECK(c->wait() == sdk::status::cancelled);
    CHECK(c->outcomes[0].result == MQB_UNCERTAIN);
    CHECK(slow.take() == "a");
    auto d = writer.start_send(messages({"d"}));
    CHECK(d->wait() == sdk::status::done);
    CHECK(one.take() == "d");
    CHECK(slow.take() == "d");
}

TEST_CASE("a send that is cancelled is not done when the room for its last copy is made while the first one is taken back") {
    // Its bytes tell when a copy of them is let go: that is between the two channels.
    struct telling_owner : mqb_owner {
        explicit telling_owner(std::uint64_t size)
            : mqb_owner{sizeof(mqb_owner), 0, size, [](mqb_owner*) {},
                        [](mqb_owner* o) {
                            if (auto told = std::exchange(static_cast<telling_owner*>(o)->released, nullptr)) told();
                        }} {}
        std::function<void()> released;
    };
    const std::string config = config_of("b-between", "\"capacity\":1");
    const std::string_view b = "b";
    telling_owner owner(b.size());
    connected_consumer one(config), slow(config);
    connected_publisher writer(config);
    writer.send(messages({"a"}));
    CHECK(one.take() == "a");
    auto all = messages({b});
    all[0].payload.owner = &owner;
    auto sent = writer.start_send(all);
    CHECK_FALSE(sent->is_done());
    std::string taken;
    owner.released = [&] { taken = slow.take(); };
    writer.cancel(sent->id());
    CHECK(taken == "a");
    CHECK(sent->wait() == sdk::status::cancelled);
    CHECK(sent->outcomes[0].result == MQB_UNSENT);
    writer.send(messages({"c"}));
    CHECK(one.take() == "c");
    CHECK(slow.take() == "c");
}

TEST_CASE("what was taken back from everybody is not kept for those who come later") {
    for (const char* ack : {"\"ack\":false", "\"ack\":true"}) {
        CAPTURE(ack);
        const std::string config = config_of("b-forget", "\"capacity\":2");
        connected_consumer one(config), slow(config);
        connected_publisher writer(config), other(config_of("b-forget", ack));
        for (const char* text : {"a", "b"}) CHECK(writer.send(messages({text}))->is_done());
        auto waits = other.start_send(messages({"c"}));
        CHECK_FALSE(waits->is_done());
        other.cancel(waits->id());
        CHECK(waits->wait() == sdk::status::cancelled);
        CHECK(waits->outcomes[0].result == MQB_UNSENT);
        connected_consumer late(config);
        CHECK(late.take() == "a,b");
        auto again = other.start_send(messages({"c"}));
        CHECK(one.take() == "a,b");
        CHECK(slow.take() == "a,b");
        CHECK(one.take() == "c");
        CHECK(late.take() == "c");
        // What somebody has read of a cancelled one stays.
        other.cancel(again->id());
        (void)again->wait();
        connected_consumer last(config);
        CHECK(last.take() == "b,c");
    }
}

TEST_CASE("what is sent again to subscribers may come behind what was sent later, and that is told") {
    const auto promise = [](std::string_view json) {
        return mqb::memory::publisher::promise(sdk::parse_config<mqb::memory::config>(json));
    };
    CHECK_FALSE(promise(config_of("t")).has(MQB_ORDERED_RETRY));
    CHECK(promise(config_of("t")).has(MQB_ORDERED));
    CHECK(promise(R"({"topic":"t"})").has(MQB_ORDERED_RETRY));
}

TEST_CASE("what the last subscriber has not read waits for the next") {
    const std::string config = config_of("b-next");
    connected_publisher writer(config);
    {
        connected_consumer one(config);
        writer.send(messages({"a", "b"}));
        CHECK(one.take(1) == "a");
    }
    connected_consumer next(config);
    CHECK(next.take() == "b");
}

TEST_CASE("each subscriber ends its drain when it has everything and no sender is left") {
    const std::string config = config_of("b-drain");
    connected_consumer one(config), other(config);
    auto writer = std::make_unique<connected_publisher>(config);
    writer->send(messages({"a"}));
    CHECK(one.take() == "a");
    auto waits = one.start_receive(10, true);
    CHECK(waits->wait(60ms) == sdk::status::pending);
    writer.reset();
    CHECK(waits->wait() == sdk::status::end);
    CHECK(other.take() == "a");
    CHECK(other.receive(10, true)->wait() == sdk::status::end);
}

TEST_CASE("a name is one of a queue or of subscribers, and free again when nobody is there") {
    const auto refused = [](const std::string& config) {
        host::publisher writer(memory(), config);
        return writer.connect() == sdk::status::bad_config;
    };
    {
        connected_publisher queue(R"({"topic":"b-mode"})");
        CHECK(refused(config_of("b-mode")));
    }
    connected_publisher writer(config_of("b-mode"));
    CHECK(refused(R"({"topic":"b-mode"})"));
}

TEST_CASE("many threads lose nothing and double nothing at any subscriber") {
    constexpr int senders = 2, readers = 3, sends = 300;
    const std::string config = config_of("b-many", "\"capacity\":4");
    std::vector<std::unique_ptr<connected_consumer>> all;
    for (int r = 0; r < readers; ++r) all.push_back(std::make_unique<connected_consumer>(config));
    std::vector<std::thread> threads;
    for (int s = 0; s < senders; ++s)
        threads.emplace_back([s, &config] {
            connected_publisher writer(config);
            for (int i = 0; i < sends; ++i) {
                const std::string payload = std::to_string(s) + ":" + std::to_string(i);
                CHECK(writer.send(messages({payload}))->wait() == sdk::status::done);
            }
        });
    for (auto& one : all)
        threads.emplace_back([&reader = *one] {
            std::vector<int> next(senders, 0);
            for (int received = 0; received < senders * sends;) {
                auto got = reader.start_receive(7);
                if (got->wait() != sdk::status::done) continue;
                for (std::uint32_t i = 0; i < got->size(); ++i, ++received) {
                    const std::string payload = got->payload(i);
                    const auto sender = static_cast<std::size_t>(payload[0] - '0');
                    CHECK(std::stoi(payload.substr(2)) == next[sender]++);
                }
                reader.settle_all(*got);
                reader.free_batch(*got);
            }
        });
    // Meanwhile another one comes and goes.
    for (int i = 0; i < 20; ++i) {
        host::consumer passing(memory(), config);
        CHECK(passing.connect() == sdk::status::done);
    }
    for (std::thread& one : threads) one.join();
    for (auto& one : all) CHECK(one->receive(1, true)->wait() == sdk::status::end);
}
