#include "core/structural/static.hpp"

#include "core/middlewares/metadata_edit.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace mqb::core;

namespace {

struct silent_logger final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::error; }
    void write(log_level, std::string_view, std::string_view, std::string_view) noexcept override {}
};

// What the factory makes of a configuration, or why it does not.
template <class Side>
struct made {
    explicit made(std::string config, bool drain = false) {
        instance_context context{box, clock, log, "r", "input", "i", {}, drain};
        context.batch_messages = 3;
        const auto keep = [this](std::exception_ptr, result<std::unique_ptr<Side>> answer) {
            if (answer)
                side = std::move(*answer);
            else
                why = answer.error().text;
        };
        if constexpr (std::is_same_v<Side, consumer>)
            boost::asio::co_spawn(io, factory.make_consumer(context, std::move(config)), keep);
        else
            boost::asio::co_spawn(io, factory.make_publisher(context, std::move(config)), keep);
        io.run();
    }
    boost::asio::io_context io;
    mailbox box;
    manual_timers clock{box};
    silent_logger log;
    static_factory factory;
    std::unique_ptr<Side> side;
    std::string why;
};

std::string why_not(const std::string& config) { return made<publisher>(config).why; }

struct answered_send : send_call {
    explicit answered_send(std::uint32_t count) : all(count), results(count) {
        for (std::uint32_t i = 0; i < count; ++i) all[i].id[15] = static_cast<std::uint8_t>(i + 1);
        messages = message_list{std::span<const message>{all}};
        outcomes = list<outcome>{std::span<outcome>{results}};
        answer = [](send_call& self, std::uint32_t index, const message& response) {
            CHECK(response.id[15] == index + 1);
            auto& mine = static_cast<answered_send&>(self);
            mine.texts.emplace_back(response.payload.text());
            mine.metadata = std::string{text_of(response.metadata, "k")};
        };
    }
    std::vector<message> all;
    std::vector<outcome> results;
    std::vector<std::string> texts;
    std::string metadata;
};

}  // namespace

TEST_CASE("an input gives its body as it is, with metadata, without end or as often as it is told") {
    made<consumer> endless(R"({"body":"a \"b\"","raw":true,"metadata":{"k":"v"}})");
    REQUIRE(endless.side);
    for (int round = 0; round < 3; ++round) {
        receive_call c;
        c.max_messages = 5;
        REQUIRE(endless.side->receive(c) == status::ok);
        CHECK(c.messages.count == 5);
        CHECK(c.messages[4].payload.text() == "a \"b\"");
        CHECK(text_of(c.messages[4].metadata, "k") == "v");
        CHECK(c.messages[0].id != c.messages[4].id);
        endless.side->free_batch(c.batch);
    }
    made<consumer> counted(R"({"body":"x","count":2})");
    receive_call c;
    c.max_messages = 5;
    REQUIRE(counted.side->receive(c) == status::ok);
    CHECK(c.messages.count == 2);
    CHECK(c.messages[0].metadata.size == 0);
    counted.side->free_batch(c.batch);  // unsettled: both come again
    receive_call again;
    again.max_messages = 5;
    REQUIRE(counted.side->receive(again) == status::ok);
    CHECK(again.messages.count == 2);
    counted.side->free_batch(again.batch);
}

TEST_CASE("a drain is one batch") {
    made<consumer> one(R"("text")", true);
    receive_call c;
    c.max_messages = 100;
    REQUIRE(one.side->receive(c) == status::ok);
    CHECK(c.messages.count == 3);
    receive_call end;
    CHECK(one.side->receive(end) == status::end);
    one.side->free_batch(c.batch);
}

TEST_CASE("an output answers each message with the body, under the id of the message") {
    const std::string config = R"({"body":"a \"b\"","raw":true,"metadata":{"k":"v"}})";
    made<publisher> raw(config);
    answered_send c(2);
    CHECK(raw.side->send(c) == status::ok);
    CHECK(c.texts == std::vector<std::string>{"a \"b\"", "a \"b\""});
    CHECK(c.metadata == "v");
    for (const outcome& one : c.results) CHECK(one.delivered());

    made<publisher> json(R"("a \"b\"")");
    answered_send d(1);
    CHECK(json.side->send(d) == status::ok);
    CHECK(d.texts == std::vector<std::string>{R"("a \"b\"")"});

    answered_send unasked(1);
    unasked.answer = nullptr;
    CHECK(json.side->send(unasked) == status::ok);
    CHECK(unasked.results[0].delivered());
}

TEST_CASE("what it promises is what it is used as") {
    const static_factory factory;
    CHECK(factory.promise(R"("x")", consumer_side)->flags == promises::acknowledges);
    CHECK((factory.promise(R"({"body":"x","count":1})", consumer_side)->flags & promises::finite) != 0);
    CHECK((factory.promise(R"("x")", publisher_side)->flags & promises::responds) != 0);
    CHECK((factory.promise(R"("x")", publisher_side)->flags & promises::acknowledges) == 0);
}

TEST_CASE("a template is refused, its escape and what is none are text") {
    CHECK(why_not(R"("n=${gen:counter}")") == "body: ${gen:…} is not supported by this version");
    CHECK(why_not(R"("${payload:a}")") == "body: ${payload:…} is not supported by this version");
    made<publisher> text(R"({"body":"$${payload:x} ${other:x} $x","raw":true})");
    answered_send c(1);
    REQUIRE(text.side);
    text.side->send(c);
    CHECK(c.texts.front() == "${payload:x} ${other:x} $x");
    CHECK(why_not(R"({"raw":true})") == "has no body");
    CHECK(why_not(R"({"body":"x","metadata":{"":"v"}})") == "metadata: \"\" is no key with a text");
}
