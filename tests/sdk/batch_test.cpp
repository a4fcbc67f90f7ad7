#include "fakes.hpp"

#include <doctest/doctest.h>
#include <thread>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;

namespace {

struct note {
    std::vector<int> numbers;
    void clear() { numbers.clear(); }
};

// Calls of a test's own making, on an instance that is nothing but that.
struct bench {
    testing::host host;
    sdk::instance owner{&host};
    mqb_receive raw{};
    sdk::receive_call call{raw, owner};
    sdk::batch_pool<note> pool;
    bench() { raw.max_messages = 100; }
    void free() { pool.recycle(raw.batch); }
    sdk::message_view operator[](std::uint32_t i) { return sdk::message_list(raw.messages)[i]; }
};

}  // namespace

TEST_CASE("a batch holds what was added, in one block with one owner") {
    bench b;
    auto batch = b.pool.open();
    batch->add("one").lane(7).delivery_count(2).text("key", "k").number("n", 5);
    batch->add_null();
    batch->add("").flag("f", true);
    CHECK(batch.give(b.call) == sdk::status::done);
    REQUIRE(b.raw.messages.count == 3);
    CHECK(b[0].text() == "one");
    CHECK(b[0].lane() == 7);
    CHECK(b[0].delivery_count() == 2);
    CHECK(b[0].has_id());
    CHECK(b[0].metadata().get("n")->as_int() == 5);
    CHECK(b[1].is_null());
    CHECK_FALSE(b[2].is_null());
    CHECK(b[2].payload().empty());
    CHECK(b[0].raw().payload.owner == b[2].raw().metadata.owner);
    b.free();
}

TEST_CASE("messages without an id get one when the batch is given, the others keep theirs") {
    bench b;
    const std::string own = "sixteen bytes id";
    auto batch = b.pool.open();
    batch->add("one").id(reinterpret_cast<const std::uint8_t*>(own.data()));
    batch->add("two");
    batch->add("three").id(reinterpret_cast<const std::uint8_t*>(own.data()));
    batch->add("four");
    batch.give(b.call);
    const auto id = [&](std::uint32_t i) { return std::string(reinterpret_cast<const char*>(b[i].raw().id), 16); };
    CHECK(id(0) == own);
    CHECK(id(2) == own);
    CHECK((b[1].raw().id[6] >> 4) == 7);
    CHECK(id(1) < id(3));
    b.free();
}

TEST_CASE("a broken record carries its bytes, and its reason first of all metadata") {
    bench b;
    auto batch = b.pool.open();
    batch->add("sound").text("k", "v");
    batch->add_broken(std::string_view("1,2\0", 4), "3 cells were expected").lane(4).text("k", "v");
    batch.give(b.call);
    CHECK(b[1].text() == std::string_view("1,2\0", 4));
    CHECK(b[1].lane() == 4);
    std::vector<std::string> entries;
    for (const sdk::metadata_entry one : b[1].metadata()) entries.push_back(std::string(one.key()) + "=" + std::string(one.value()));
    CHECK(entries == std::vector<std::string>{"mqb.error=3 cells were expected", "k=v"});
    CHECK(b[0].metadata().get("mqb.error") == std::nullopt);
    b.free();
}

TEST_CASE("a batch that grows moves everything with it") {
    bench b;
    auto batch = b.pool.open();
    for (int i = 0; i < 100; ++i)
        batch->add(std::string(200, static_cast<char>('a' + i % 26))).number("i", i).text("long", std::string(100, 'm'));
    batch.give(b.call);
    for (std::uint32_t i = 0; i < 100; ++i) {
        CHECK(b[i].text() == std::string(200, static_cast<char>('a' + i % 26)));
        CHECK(b[i].metadata().get("i")->as_int() == i);
        CHECK(b[i].raw().payload.owner == b[0].raw().payload.owner);
    }
    b.free();
}

TEST_CASE("64 bytes behind the last one may be read") {
    bench b;
    auto batch = b.pool.open();
    batch->add(std::string(batch->room(), 'x'));
    batch.give(b.call);
    const sdk::byte_view payload = b[0].payload();
    unsigned sum = 0;
    for (std::size_t i = 0; i < 64; ++i) sum += payload.data()[payload.size() + i];
    CHECK(sum == 0);
    b.free();
}

TEST_CASE("memory can be filled in place and messages be parts of it") {
    bench b;
    auto batch = b.pool.open();
    std::memcpy(batch->prepare(11), "alpha\nbeta\n", 11);
    const std::size_t at = batch->keep(11);
    batch->add_part(at, 5).text("line", "1");
    batch->add_part(at + 6, 4);
    batch->prepare(100'000);
    batch->add_part(at + 6, 4).text("line", "2");
    batch.give(b.call);
    CHECK(b[0].text() == "alpha");
    CHECK(b[1].text() == "beta");
    CHECK(b[2].metadata().get("line")->as_text() == "2");
    b.free();
}

TEST_CASE("metadata goes on after something else was kept") {
    bench b;
    auto batch = b.pool.open();
    auto message = batch->add("x");
    message.text("a", "1");
    std::memcpy(batch->prepare(3), "yyy", 3);
    batch->keep(3);
    message.text("b", "2");
    batch.give(b.call);
    CHECK(b[0].metadata().get("a")->as_text() == "1");
    CHECK(b[0].metadata().get("b")->as_text() == "2");
    b.free();
}

TEST_CASE("a batch is used again, with its note and its memory, unless somebody holds on to that") {
    bench b;
    auto batch = b.pool.open();
    batch->add("first");
    batch->extra.numbers.push_back(1);
    batch.give(b.call);
    void* const first = b.raw.batch;
    const std::uint8_t* const bytes = b[0].payload().data();
    CHECK(b.pool.of(first)->extra.numbers.size() == 1);
    b.free();
    batch = b.pool.open();
    CHECK(batch->extra.numbers.empty());
    batch->add("again");
    batch.give(b.call);
    CHECK(b.raw.batch == first);
    CHECK(b[0].payload().data() == bytes);
    const mqb_buffer kept = b[0].raw().payload;
    kept.owner->retain(kept.owner);
    b.free();
    batch = b.pool.open();
    batch->add("other");
    batch.give(b.call);
    CHECK(b[0].payload().data() != bytes);
    CHECK(sdk::view(kept) == "again");
    b.free();
    kept.owner->release(kept.owner);
}

TEST_CASE("buffers outlive the pool, and come back on any thread") {
    std::vector<mqb_buffer> kept;
    {
        bench b;
        std::thread releasing([] {});
        releasing.join();
        for (int i = 0; i < 1000; ++i) {
            auto batch = b.pool.open();
            batch->add(std::string(100, 'x')).number("i", i);
            batch.give(b.call);
            const mqb_buffer one = b[0].raw().payload;
            one.owner->retain(one.owner);
            b.free();
            if (i % 10 == 0)
                kept.push_back(one);
            else
                one.owner->release(one.owner);
        }
    }
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < kept.size(); i += 2) {
                if (sdk::view(kept[i]) != std::string(100, 'x')) std::abort();
                kept[i].owner->release(kept[i].owner);
            }
        });
    for (std::thread& one : threads) one.join();
}

TEST_CASE("a batch with owners of the plugin's drops its counts when it is freed") {
    static int count = 0;
    static const std::uint8_t bytes[4] = {'d', 'a', 't', 'a'};
    mqb_owner owner{sizeof(mqb_owner), 0, 4, [](mqb_owner*) { ++count; }, [](mqb_owner*) { --count; }};
    count = 1;
    bench b;
    auto batch = b.pool.open();
    batch->add_owned({bytes, 4, &owner}).text("k", "v");
    batch.give(b.call);
    CHECK(b[0].payload().data() == bytes);
    CHECK(count == 1);
    b.free();
    CHECK(count == 0);
}

TEST_CASE("a batch without messages is nothing now, and goes back by itself") {
    bench b;
    {
        auto batch = b.pool.open();
        CHECK(batch.give(b.call) == sdk::status::done);
        CHECK(b.raw.messages.count == 0);
        CHECK(b.raw.batch == nullptr);
    }
    auto batch = b.pool.open();
    batch->add("x");
    batch->pop();
    CHECK(batch->size() == 0);
    CHECK(batch->payload_bytes() == 0);
}

TEST_CASE("limits of the call are kept, but the first message always fits") {
    bench b;
    b.raw.max_messages = 2;
    b.raw.max_bytes = 10;
    auto batch = b.pool.open();
    CHECK(batch->takes(b.call, 100));
    batch->add("12345");
    CHECK(batch->takes(b.call, 5));
    CHECK_FALSE(batch->takes(b.call, 6));
    batch->add("x");
    CHECK_FALSE(batch->takes(b.call, 0));
}

TEST_CASE("lists are walked by their stride and nothing is written between") {
    testing::host host;
    sdk::instance owner(&host);
    const sdk_test::strided<mqb_message> messages({testing::message_of("a"), testing::message_of("bb"), testing::message_of("ccc")});
    const sdk_test::strided<mqb_outcome> outcomes(std::vector<mqb_outcome>(3));
    mqb_send raw{};
    raw.call.explain = [](mqb_call*, std::uint32_t, mqb_text) {};
    raw.messages = messages.list();
    raw.outcomes = outcomes.list();
    const sdk::send_call call(raw, owner);
    std::string all;
    for (const sdk::message_view message : call) {
        all += message.text();
        if (message.index() == 1)
            call.again(1, "later", 9);
        else
            call.done(message.index());
    }
    CHECK(all == "abbccc");
    CHECK(outcomes[0].result == MQB_DONE);
    CHECK(outcomes[1].result == MQB_AGAIN);
    CHECK(outcomes[1].number == 9);
    CHECK(outcomes[2].result == MQB_DONE);
    CHECK(messages.is_clean());
    CHECK(outcomes.is_clean());

    const sdk_test::strided<mqb_entry> entries({{5, MQB_ACK, 0, nullptr, {nullptr, 0}}, {6, MQB_NACK, 3, nullptr, {"why", 3}}});
    const sdk_test::strided<mqb_outcome> settled(std::vector<mqb_outcome>(2));
    mqb_settle settle{};
    settle.entries = entries.list();
    settle.outcomes = settled.list();
    const sdk::settle_call settling(settle, owner);
    for (const sdk::settle_entry entry : settling) entry.disposition() == MQB_NACK ? entry.gone() : entry.ok();
    CHECK(settling[1].index() == 6);
    CHECK(settling[1].delay_ns() == 3);
    CHECK(settling[1].reason() == "why");
    CHECK(settled[0].result == MQB_SETTLE_OK);
    CHECK(settled[1].result == MQB_SETTLE_GONE);
    CHECK(settled.is_clean());
}
