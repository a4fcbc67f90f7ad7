#include "consumer.hpp"

#include "inner_side_test.hpp"
#include "packed_bytes_test.hpp"
#include "publisher.hpp"

using namespace mqb::compressing;
namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;
namespace codec = mqb::codec;

namespace {

const mqb_factory& endpoint() { return sdk::offer_endpoint<"fake", sdk::no_config, inner_consumer, inner_publisher>::factory; }
const mqb_factory& middleware() { return sdk::offer_middleware<"compression", config, consumer, publisher>::factory; }

std::string zstd(std::string_view text) { return packed(codec::compression::zstd, text); }

struct setting {
    explicit setting(std::string_view with = R"({"max_decompressed_bytes": 1000})") : with_(with) { now = &inner; }
    ~setting() {
        above.reset();
        now = nullptr;
    }
    mqb_list lend() {
        child_ = {MQB_SIDE_CONSUMER, 0, {nullptr, 0}, below.raw()};
        return mqb_list_of(&child_, 1, sizeof child_);
    }
    std::vector<std::string> payloads(testing::receiving& got) {
        std::vector<std::string> out;
        for (std::uint32_t i = 0; i < got.size(); ++i) out.push_back(got.payload(i));
        return out;
    }
    std::string_view with_;
    inner_side inner;
    testing::consumer below{endpoint(), "{}"};
    mqb_child child_{};
    testing::consumer& up() {
        if (!above) above = std::make_unique<testing::consumer>(middleware(), with_, lend());
        return *above;
    }
    std::unique_ptr<testing::consumer> above;
};

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("payloads come decompressed, in order, and are settled and freed below") {
    setting s;
    s.inner.batches = {{zstd("one"), zstd(""), zstd("three")}};
    auto got = s.up().receive(10);
    CHECK(s.payloads(*got) == words{"one", "", "three"});
    CHECK(s.up().settle(got->raw().batch, {2, 0}) == std::vector<std::int32_t>{MQB_SETTLE_OK, MQB_SETTLE_OK});
    CHECK(s.inner.settled == words{"2 0"});
    s.up().free_batch(*got);
    CHECK(s.inner.freed == 1);
}

TEST_CASE("what cannot be decompressed is rejected with the reason, and the others keep their places") {
    setting s;
    s.inner.batches = {{"plain", zstd("good"), zstd(std::string(1001, 'x')), zstd("too")}};
    auto got = s.up().receive(10);
    CHECK(s.payloads(*got) == words{"good", "too"});
    REQUIRE(s.inner.settled.size() == 1);
    CHECK(s.inner.settled[0].find("0j(compression: the payload is no zstd data, or damaged: ") == 0);
    CHECK(s.inner.settled[0].find("2j(compression: more than 1000 bytes come out of the payload (max_decompressed_bytes))") !=
          std::string::npos);
    CHECK(s.up().settle(got->raw().batch, {1}, MQB_REJECT) == std::vector<std::int32_t>{MQB_SETTLE_OK});
    CHECK(s.inner.settled[1] == "3j");
    s.up().free_batch(*got);
    CHECK(s.inner.freed == 1);
}

TEST_CASE("with on_error drop it is discarded, and counted as that") {
    setting s{R"({"on_error": "drop"})"};
    s.inner.batches = {{"plain", zstd("good")}};
    auto got = s.up().receive(10);
    CHECK(s.payloads(*got) == words{"good"});
    CHECK(s.inner.settled == words{"0(discarded)"});
    s.up().free_batch(*got);
}

TEST_CASE("a batch of which nothing is left is followed by the next, however many there are") {
    setting s;
    for (int i = 0; i < 100; ++i) s.inner.batches.push_back({"plain", "plain too"});
    s.inner.batches.push_back({zstd("good")});
    auto got = s.up().start_receive(10);
    while (!got->is_done()) s.up().host.run_timers();
    CHECK(s.payloads(*got) == words{"good"});
    CHECK(s.inner.settled.size() == 100);
    CHECK(s.inner.freed == 100);
    s.up().free_batch(*got);
}

TEST_CASE("what comes later is decompressed too, and a cancel ends the wait") {
    setting s;
    auto got = s.up().start_receive(10);
    CHECK(got->was_pending());
    s.inner.batches.push_back({zstd("late")});
    auto waits = std::move(s.inner.waits);
    auto* const source = static_cast<inner_consumer*>(waits->owner());
    const auto answer = source->give(*waits);
    waits.complete(answer);
    CHECK(got->wait() == sdk::status::done);
    CHECK(s.payloads(*got) == words{"late"});
    s.up().free_batch(*got);
    auto second = s.up().start_receive(10);
    s.up().cancel(second->id());
    CHECK_FALSE(second->is_done());
    s.below.host.run_timers();
    CHECK(second->wait() == sdk::status::cancelled);
    CHECK(s.inner.freed == 1);
}

TEST_CASE("a batch of which much comes out is given in parts, and freed below when all of them are") {
    setting s;
    const std::string large(600, 'x');
    s.inner.batches = {{zstd(large), zstd(large), zstd("a"), "plain", zstd(large)}, {zstd("next")}};
    auto first = s.up().receive(10);
    CHECK(s.payloads(*first) == words{large, large});
    auto second = s.up().receive(10);
    CHECK(s.payloads(*second) == words{"a", large});
    CHECK(s.inner.receives == 1);
    CHECK(s.up().settle(second->raw().batch, {1}) == std::vector<std::int32_t>{MQB_SETTLE_OK});
    CHECK(s.inner.settled.back() == "4");
    s.up().free_batch(*first);
    CHECK(s.inner.freed == 0);
    s.up().free_batch(*second);
    CHECK(s.inner.freed == 1);
    auto third = s.up().receive(10);
    CHECK(s.payloads(*third) == words{"next"});
    s.up().free_batch(*third);
}

TEST_CASE("what has not been given when it is freed is freed below") {
    setting s;
    const std::string large(1000, 'x');
    s.inner.batches = {{zstd(large), zstd(large)}};
    auto first = s.up().receive(10);
    CHECK(first->size() == 1);
    s.up().free_batch(*first);
    CHECK(s.inner.freed == 0);
    s.above.reset();
    CHECK(s.inner.freed == 1);
}

TEST_CASE("when lanes end, what has not been given goes back with the batch, as soon as nothing of it is out") {
    setting s;
    const std::string large(1000, 'x');
    s.inner.batches = {{zstd(large), zstd(large)}, {zstd("next")}};
    auto first = s.up().receive(10);
    const std::uint64_t lane = 0;
    s.up().raw()->table->lanes_ending(s.up().raw(), &lane, 1, 0);
    CHECK(s.inner.freed == 0);
    CHECK(s.up().settle(first->raw().batch, {0}) == std::vector<std::int32_t>{MQB_SETTLE_OK});
    s.up().free_batch(*first);
    CHECK(s.inner.freed == 1);
    auto second = s.up().receive(10);
    CHECK(s.payloads(*second) == words{"next"});
    s.up().free_batch(*second);
    s.up().raw()->table->lanes_ending(s.up().raw(), &lane, 1, 0);
    CHECK(s.inner.freed == 2);
}

TEST_CASE("with algorithm none everything passes as it is") {
    setting s{R"({"algorithm": "none"})"};
    s.inner.batches = {{"plain", zstd("x")}};
    auto got = s.up().receive(10);
    CHECK(s.payloads(*got) == words{"plain", zstd("x")});
    s.up().free_batch(*got);
}
