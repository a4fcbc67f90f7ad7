#include "endpoints_test.hpp"

#include <thread>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;
using namespace mqb::memory::testing;
using namespace std::chrono_literals;

namespace {

// Counts what is taken of it.
struct counted_owner : mqb_owner {
    std::atomic<int> count{0};
    explicit counted_owner(std::uint64_t size)
        : mqb_owner{sizeof(mqb_owner), 0, size, [](mqb_owner* o) { ++static_cast<counted_owner*>(o)->count; },
                    [](mqb_owner* o) { --static_cast<counted_owner*>(o)->count; }} {}
};

}  // namespace

TEST_CASE("what is sent is received in order, with ids, and the copies outlive the sender's bytes") {
    ends both(R"({"topic":"t-order"})");
    {
        std::string bytes = "one two";
        auto sent = both.writer.send(messages({std::string_view(bytes).substr(0, 3), std::string_view(bytes).substr(4)}));
        CHECK(sent->outcomes[0].result == MQB_DONE);
        bytes.assign(7, 'x');
    }
    auto got = both.reader.receive(10);
    CHECK(payloads(*got) == "one,two");
    CHECK(sdk::message_view(&got->message(0)).has_id());
    CHECK(got->message(0).delivery_count == 1);
    both.reader.settle_all(*got);
    both.reader.free_batch(*got);
}

TEST_CASE("null and empty payloads stay apart") {
    ends both(R"({"topic":"t-null"})");
    auto all = messages({""});
    all.push_back(mqb_message{});
    both.writer.send(all);
    auto got = both.reader.receive(10);
    REQUIRE(got->size() == 2);
    CHECK_FALSE(sdk::message_view(&got->message(0)).is_null());
    CHECK(sdk::message_view(&got->message(1)).is_null());
    both.reader.settle_all(*got);
    both.reader.free_batch(*got);
}

TEST_CASE("an owner is retained once for a batch and released when the batch is freed") {
    ends both(R"({"topic":"t-owner"})");
    static const std::uint8_t bytes[100] = {};
    counted_owner owner(sizeof bytes), large(1 << 20);
    std::vector<mqb_message> all(3);
    all[0].payload = {bytes, 40, &owner};
    all[1].payload = {bytes + 40, 40, &owner};
    all[2].payload = {bytes, 10, &large};  // so little of it that it is copied
    both.writer.send(all);
    CHECK(owner.count == 1);
    CHECK(large.count == 0);
    auto got = both.reader.receive(10);
    REQUIRE(got->size() == 3);
    CHECK(got->message(1).payload.data == bytes + 40);
    CHECK(got->message(2).payload.data != bytes);
    both.reader.settle_all(*got);
    both.reader.free_batch(*got);
    CHECK(owner.count == 0);
}

TEST_CASE("positions of the hop before are not passed on") {
    ends both(R"({"topic":"t-src"})");
    sdk::metadata_block block;
    block.text("mqb.src.offset", "7").text("key", "k").number("mqb.src.partition", 1);
    auto all = messages({"a"});
    all[0].metadata = block.buffer();
    both.writer.send(all);
    auto got = both.reader.receive(1);
    const auto metadata = sdk::message_view(&got->message(0)).metadata();
    CHECK_FALSE(metadata.get("mqb.src.offset"));
    CHECK(metadata.get("key")->as_text() == "k");
    both.reader.settle_all(*got);
    both.reader.free_batch(*got);
}

TEST_CASE("small sends become one batch, and a large one is given in parts") {
    ends both(R"({"topic":"t-parts"})");
    both.writer.send(messages({"a"}));
    both.writer.send(messages({"b", "c"}));
    auto together = both.reader.receive(10);
    CHECK(payloads(*together) == "a,b,c");
    both.writer.send(messages({"1", "22", "333", "4"}));
    auto two = both.reader.receive(2);
    CHECK(payloads(*two) == "1,22");
    auto by_bytes = both.reader.receive(10, false, 3);
    CHECK(payloads(*by_bytes) == "333");
    auto rest = both.reader.receive(10, false, 1);
    CHECK(payloads(*rest) == "4");
    for (auto* one : {&together, &two, &by_bytes, &rest}) both.reader.settle_all(**one), both.reader.free_batch(**one);
}

TEST_CASE("what is freed unsettled comes again at its old place") {
    ends both(R"({"topic":"t-again"})");
    both.writer.send(messages({"a", "b", "c"}));
    both.writer.send(messages({"d"}));
    auto first = both.reader.receive(3);
    auto second = both.reader.receive(3);
    both.writer.send(messages({"e"}));
    both.reader.settle(first->raw().batch, {1});
    both.reader.free_batch(*first);
    both.reader.free_batch(*second);
    auto again = both.reader.receive(10);
    CHECK(payloads(*again) == "a,c,d,e");
    CHECK(again->message(0).delivery_count == 2);
    CHECK(again->message(3).delivery_count == 1);
    both.reader.settle_all(*again);
    both.reader.free_batch(*again);
}

TEST_CASE("a nack brings the message again, at once or after its delay") {
    ends both(R"({"topic":"t-nack"})");
    both.writer.send(messages({"a", "b"}));
    auto first = both.reader.receive(10);
    CHECK(both.reader.settle(first->raw().batch, {0}, MQB_NACK) == std::vector<std::int32_t>{MQB_SETTLE_OK});
    CHECK(both.reader.settle(first->raw().batch, {1}, MQB_NACK, 3'600'000'000'000) == std::vector<std::int32_t>{MQB_SETTLE_OK});
    auto again = both.reader.receive(10);
    CHECK(payloads(*again) == "a");
    CHECK(again->message(0).delivery_count == 2);
    auto late = both.reader.start_receive(10);
    CHECK_FALSE(late->is_done());
    both.reader.host.advance(1h);
    CHECK(late->wait() == sdk::status::done);
    CHECK(payloads(*late) == "b");
    for (auto* one : {&first, &again, &late}) both.reader.settle_all(**one), both.reader.free_batch(**one);
}

TEST_CASE("a sender waits while the channel is full, and in order") {
    ends both(R"({"topic":"t-full","capacity":2})");
    auto a = both.writer.send(messages({"a"})), b = both.writer.send(messages({"b"}));
    auto c = both.writer.start_send(messages({"c"})), d = both.writer.start_send(messages({"d"})),
         e = both.writer.start_send(messages({"e"}));
    CHECK(b->is_done());
    CHECK_FALSE(c->is_done());
    auto got = both.reader.receive(1);
    CHECK(c->wait() == sdk::status::done);
    CHECK(c->outcomes[0].result == MQB_DONE);
    CHECK_FALSE(d->is_done());
    both.writer.cancel(d->id());
    CHECK_FALSE(d->is_done());  // never inside cancel
    CHECK(d->wait() == sdk::status::cancelled);
    CHECK(d->outcomes[0].result == MQB_UNSENT);
    CHECK(e->wait() == sdk::status::done);  // back as well, so that it is not before d when both are sent again
    CHECK(e->outcomes[0].result == MQB_UNSENT);
    auto rest = both.reader.receive(10);
    CHECK(payloads(*rest) == "b,c");
    for (auto* one : {&got, &rest}) both.reader.settle_all(**one), both.reader.free_batch(**one);
}

TEST_CASE("a cancel speaks of one handle: others may use the same number") {
    ends both(R"({"topic":"t-same","capacity":1})");
    testing::publisher other(memory(), R"({"topic":"t-same","capacity":1})");
    testing::consumer second(memory(), R"({"topic":"t-same"})");
    other.connect();
    second.connect();
    both.writer.send(messages({"a"}));
    auto waits = both.writer.start_send(messages({"b"}));
    other.cancel(waits->id());
    CHECK_FALSE(waits->wait(20ms) == sdk::status::cancelled);
    auto got = both.reader.receive(10);
    CHECK(waits->wait() == sdk::status::done);
    auto rest = both.reader.receive(10);
    auto empty = both.reader.start_receive(10);
    second.cancel(empty->id());
    CHECK_FALSE(empty->wait(20ms) == sdk::status::cancelled);
    both.reader.cancel(empty->id());
    CHECK(empty->wait() == sdk::status::cancelled);
    for (auto* one : {&got, &rest}) both.reader.settle_all(**one), both.reader.free_batch(**one);
}

TEST_CASE("the channel is bounded in bytes, but takes one batch that is larger") {
    ends both(R"({"topic":"t-bytes","capacity_bytes":2000})");
    const std::string large(3000, 'x');
    CHECK(both.writer.start_send(messages({large}))->is_done());
    auto small = both.writer.start_send(messages({"y"}));
    CHECK_FALSE(small->is_done());
    auto got = both.reader.receive(10);
    CHECK(got->size() == 1);
    CHECK(small->wait() == sdk::status::done);
    auto rest = both.reader.receive(10);
    for (auto* one : {&got, &rest}) both.reader.settle_all(**one), both.reader.free_batch(**one);
}

TEST_CASE("a receive waits, can be cancelled, and then takes nothing") {
    ends both(R"({"topic":"t-cancel"})");
    auto waits = both.reader.start_receive(10);
    both.reader.cancel(waits->id() + 1000);
    CHECK_FALSE(waits->is_done());
    both.reader.cancel(waits->id());
    CHECK(waits->wait() == sdk::status::cancelled);
    both.writer.send(messages({"a"}));
    auto got = both.reader.receive(10);
    CHECK(payloads(*got) == "a");
    CHECK(waits->completions() == 1);
    both.reader.settle_all(*got);
    both.reader.free_batch(*got);
}

TEST_CASE("a drain ends when the channel is empty and no sender is left") {
    testing::consumer reader(memory(), R"({"topic":"t-drain"})");
    reader.connect();
    auto writer = std::make_unique<testing::publisher>(memory(), R"({"topic":"t-drain"})");
    writer->connect();
    writer->send(messages({"a"}));
    auto got = reader.receive(10, true);
    CHECK(got->size() == 1);
    auto waits = reader.start_receive(10, true);
    CHECK(waits->wait(60ms) == sdk::status::pending);  // a sender is alive
    writer.reset();
    CHECK(waits->wait() == sdk::status::end);
    CHECK(reader.receive(10, true)->wait() == sdk::status::end);
    reader.settle_all(*got);
    reader.free_batch(*got);
}

TEST_CASE("a drain waits a while for the first sender of its channel") {
    testing::consumer reader(memory(), R"({"topic":"t-first"})");
    reader.connect();
    auto waits = reader.start_receive(10, true);
    CHECK(waits->wait(60ms) == sdk::status::pending);
    reader.host.advance(1s);
    CHECK(waits->wait() == sdk::status::end);
}

TEST_CASE("a drain does not end while another reader may give something back") {
    ends both(R"({"topic":"t-two"})");
    testing::consumer other(memory(), R"({"topic":"t-two"})");
    other.connect();
    both.writer.send(messages({"a"}));
    auto held = other.receive(1);
    { testing::publisher gone(memory(), R"({"topic":"t-two-unused"})"); }
    auto waits = both.reader.start_receive(1, true);
    CHECK(waits->wait(60ms) == sdk::status::pending);
    other.free_batch(*held);
    CHECK(waits->wait() == sdk::status::done);
    both.reader.settle_all(*waits);
    both.reader.free_batch(*waits);
}

TEST_CASE("messages that nobody has read outlast both ends") {
    {
        ends both(R"({"topic":"t-left"})");
        both.writer.send(messages({"a"}));
    }
    ends both(R"({"topic":"t-left"})");
    auto got = both.reader.receive(10);
    CHECK(payloads(*got) == "a");
    both.reader.settle_all(*got);
    both.reader.free_batch(*got);
}

TEST_CASE("many threads lose nothing and double nothing") {
    constexpr int senders = 3, sends = 400;
    testing::consumer reader(memory(), R"({"topic":"t-many","capacity":4})");
    reader.connect();
    std::vector<std::thread> threads;
    for (int s = 0; s < senders; ++s)
        threads.emplace_back([s] {
            testing::publisher writer(memory(), R"({"topic":"t-many","capacity":4})");
            writer.connect();
            for (int i = 0; i < sends; ++i) {
                const std::string payload = std::to_string(s) + ":" + std::to_string(i);
                CHECK(writer.send(messages({payload}))->wait() == sdk::status::done);
            }
        });
    std::vector<int> next(senders, 0);
    int received = 0;
    for (int round = 0; received < senders * sends; ++round) {
        auto got = reader.start_receive(7);
        if (round % 3 == 0) reader.cancel(got->id());
        if (got->wait() != sdk::status::done) continue;
        for (std::uint32_t i = 0; i < got->size(); ++i, ++received) {
            const std::string payload = got->payload(i);
            const int sender = payload[0] - '0';
            CHECK(std::stoi(payload.substr(2)) == next[static_cast<std::size_t>(sender)]++);
        }
        reader.settle_all(*got);
        reader.free_batch(*got);
    }
    for (std::thread& one : threads) one.join();
    CHECK(reader.receive(1, true)->wait() == sdk::status::end);
}
