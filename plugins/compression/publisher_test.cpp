#include "publisher.hpp"

#include "consumer.hpp"
#include "inner_side_test.hpp"
#include "unpacker.hpp"

using namespace mqb::compressing;
namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;
namespace codec = mqb::codec;

namespace {

const mqb_factory& endpoint() { return sdk::offer_endpoint<"fake", sdk::no_config, inner_consumer, inner_publisher>::factory; }
const mqb_factory& middleware() { return sdk::offer_middleware<"compression", config, consumer, publisher>::factory; }

struct setting {
    explicit setting(std::string_view with) {
        now = &inner;
        child = {MQB_SIDE_PUBLISHER, 0, {nullptr, 0}, below.raw()};
        above = std::make_unique<testing::publisher>(middleware(), with, MQB_SIDE_PUBLISHER, mqb_list_of(&child, 1, sizeof child));
    }
    ~setting() {
        above.reset();
        now = nullptr;
    }
    inner_side inner;
    testing::publisher below{endpoint(), "{}"};
    mqb_child child{};
    std::unique_ptr<testing::publisher> above;
};

std::string unpacked(codec::compression kind, std::string_view bytes) {
    unpacker one(kind, 1 << 20);
    std::string why;
    const auto out = one.unpack(bytes, why);
    return out ? std::string{out->text()} : "~" + why;
}

}  // namespace

TEST_CASE("each payload goes out as one member; null stays null, and an empty one is a member of nothing") {
    for (const auto& [name, kind] :
         {std::pair{"gzip", codec::compression::gzip}, {"lz4", codec::compression::lz4}, {"zstd", codec::compression::zstd}}) {
        setting s{std::string{R"({"algorithm": ")"} + name + "\"}"};
        auto null = testing::message_of("");
        null.payload = mqb_buffer{};
        auto sent =
            s.above->send({testing::message_of("one"), null, testing::message_of(""), testing::message_of(std::string_view{"th\0ree", 6})});
        CHECK(sent->wait() == sdk::status::done);
        REQUIRE(s.inner.sent.size() == 1);
        const auto& payloads = s.inner.sent[0];
        REQUIRE(payloads.size() == 4);
        CHECK(unpacked(kind, payloads[0]) == "one");
        CHECK(payloads[1] == "~null");
        CHECK(unpacked(kind, payloads[2]).empty());
        CHECK(unpacked(kind, payloads[3]) == std::string("th\0ree", 6));
        for (const auto& o : sent->outcomes) CHECK(o.result == MQB_DONE);
    }
}

TEST_CASE("zstd is what is meant when nothing is said, and none passes on as it is") {
    setting zstd{"{}"}, none{R"({"algorithm": "none"})"};
    now = &zstd.inner;
    zstd.above->send({testing::message_of("text")});
    CHECK(unpacked(codec::compression::zstd, zstd.inner.sent[0][0]) == "text");
    now = &none.inner;
    none.above->send({testing::message_of("text")});
    CHECK(none.inner.sent[0][0] == "text");
}

TEST_CASE("an empty send is passed on") {
    setting s{"{}"};
    CHECK(s.above->send({})->wait() == sdk::status::done);
    REQUIRE(s.inner.sent.size() == 1);
    CHECK(s.inner.sent[0].empty());
}

TEST_CASE("several sends are under way at once; each ends with its own answer, texts and response, and is cancelled below") {
    setting s{"{}"};
    s.inner.answers_sends = false;
    auto first = s.above->start_send({testing::message_of("a"), testing::message_of("b")});
    auto second = s.above->start_send({testing::message_of("c")});
    REQUIRE(s.inner.sends.size() == 2);
    s.above->cancel(second->id());
    CHECK(s.inner.cancelled >= 1);
    s.inner.sends[1].complete(sdk::status::cancelled, "gone");
    CHECK(second->wait() == sdk::status::cancelled);
    CHECK(second->text() == "gone");
    s.inner.sends[0]->answer(1, "re");
    s.inner.sends[0]->refused(0, "no room");
    s.inner.sends[0].complete(sdk::status::done);
    CHECK(first->wait() == sdk::status::done);
    CHECK(first->outcomes[0].result == MQB_REFUSED);
    CHECK(first->outcomes[1].result == MQB_DONE);
    CHECK(first->answers == std::vector<std::pair<std::uint32_t, std::string>>{{1, "re"}});
    auto third = s.above->start_send({testing::message_of("d")});
    s.inner.sends[2].complete(sdk::status::done);
    CHECK(third->wait() == sdk::status::done);
    CHECK(unpacked(codec::compression::zstd, s.inner.sent[2][0]) == "d");
}
