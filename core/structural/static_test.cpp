#include "core/structural/static.hpp"

#include "core/expressions/trial_test.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/owned_message.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace mqb::core;
using expressions::bytes_of;

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
    [[nodiscard]] std::string_view explanation(std::uint32_t i) const { return send_call::texts.of(i); }
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

TEST_CASE("each answer is the template of its message; where it is not raw, a JSON string of it") {
    made<publisher> plain(R"("hi ${payload:n} \"${message:payload}\" ${metadata:http_path}")");
    answered_send c(2);
    c.all[0].payload = bytes_of(R"({"n":"a\"b"})");
    c.all[1].payload = bytes_of("{}");
    const text_edit path[] = {{"http_path", "/pp"}};
    const counted_block metadata = edited({}, path);
    c.all[0].metadata = metadata.get();
    CHECK(plain.side->send(c) == status::ok);
    CHECK(c.texts == std::vector<std::string>{R"("hi a\"b \"{\"n\":\"a\\\"b\"}\" /pp")", R"("hi  \"{}\" ")"});
    for (const outcome& one : c.results) CHECK(one.delivered());
}

TEST_CASE("a raw body of JSON escapes what comes from the message") {
    const auto answer_of = [](const std::string& body, const std::string& more) {
        made<publisher> one(R"({"raw":true,"body":)" + body + more + "}");
        answered_send c(1);
        c.all[0].payload = bytes_of(R"({"n":"a\"b","amount":150})");
        REQUIRE(one.side);
        one.side->send(c);
        return c.texts.at(0);
    };
    const std::string json = R"(,"metadata":{"Content-Type":"application/problem+JSON; charset=utf-8"})";
    CHECK(answer_of(R"("\"${payload:n}\"")", json) == R"("a\"b")");
    CHECK(answer_of(R"("${payload:n | raw}")", json) == R"(a"b)");
    CHECK(answer_of(R"("${message:payload | base64}")", json) == "eyJuIjoiYVwiYiIsImFtb3VudCI6MTUwfQ==");
    CHECK(answer_of(R"("<${payload:zz}>")", json) == "<>");
    CHECK(answer_of(R"("{\"seen\":\"${message:id}\",\"amount\":${payload:amount},\"name\":\"${payload:n}\"}")", json) ==
          R"({"seen":"00000000-0000-0000-0000-000000000001","amount":150,"name":"a\"b"})");
    CHECK(answer_of(R"("\"${payload:n}\"")", R"(,"metadata":{"content-type":"text/plain"})") == R"("a"b")");
    CHECK(answer_of(R"("\"${payload:n}\"")", "") == R"("a"b")");
}

TEST_CASE("an answer that would be too long refuses its message alone") {
    made<publisher> one(R"({"raw":true,"body":"${message:payload}${message:payload}"})");
    answered_send c(2);
    const std::string large((32u << 20) + 1, 'x');
    c.all[0].payload = bytes_of(large);
    c.all[1].payload = bytes_of("small");
    CHECK(one.side->send(c) == status::ok);
    CHECK(c.results[0].sent() == send_result::refused);
    CHECK(c.explanation(0) == "static: body: the text is longer than 64 MiB");
    CHECK(c.results[1].delivered());
    CHECK(c.texts == std::vector<std::string>{"smallsmall"});
}

TEST_CASE("an input has a text of its own for each message, and no message to look at") {
    made<consumer> one(
        R"({"body":"n=${gen:counter} r=${gen:random(5,5)} <${payload:x}${message:id}${metadata:k}> ${other:x}","metadata":{"k":"v"}})");
    REQUIRE(one.side);
    int number = 0;
    for (int round = 0; round < 2; ++round) {
        receive_call c;
        c.max_messages = 3;
        REQUIRE(one.side->receive(c) == status::ok);
        REQUIRE(c.messages.count == 3);
        for (std::uint32_t i = 0; i < 3; ++i) {
            CHECK(c.messages[i].payload.text() == "n=" + std::to_string(number++) + " r=5 <> ${other:x}");
            CHECK(text_of(c.messages[i].metadata, "k") == "v");
        }
        one.side->free_batch(c.batch);
    }
}

TEST_CASE("texts outlive their batch where somebody holds them") {
    made<consumer> one(R"("${gen:counter}")");
    receive_call c;
    c.max_messages = 2;
    REQUIRE(one.side->receive(c) == status::ok);
    const owned_message kept{c.messages[1]};
    one.side->free_batch(c.batch);
    CHECK(kept.get().payload.text() == "1");
}

TEST_CASE("a batch of templates keeps to the bytes that the route asks for") {
    made<consumer> one(R"("${gen:random(1000,9999)}------")");
    for (const auto& [most, count] : {std::pair{35u, 3u}, {5u, 1u}, {0u, 50u}}) {
        receive_call c;
        c.max_messages = 50;
        c.max_bytes = most;
        REQUIRE(one.side->receive(c) == status::ok);
        CHECK(c.messages.count == count);
        one.side->free_batch(c.batch);
    }
    made<consumer> counted(R"({"body":"${gen:counter}","count":3})");
    receive_call c;
    c.max_messages = 2;
    REQUIRE(counted.side->receive(c) == status::ok);
    counted.side->free_batch(c.batch);  // unsettled: both come again, made anew
    receive_call again;
    again.max_messages = 5;
    REQUIRE(counted.side->receive(again) == status::ok);
    CHECK(again.messages.count == 3);
    CHECK(again.messages[0].payload.text() == "2");
    counted.side->free_batch(again.batch);
}

TEST_CASE("the mistake of a template is one of the configuration, what is no token is text") {
    const auto why = static_factory{}.promise(R"("n=${gen:count}")", consumer_side);
    REQUIRE_FALSE(why.has_value());
    CHECK(why.error().what == status::bad_config);
    CHECK(why.error().text == "body: unknown selector: ${gen:…} knows uuid, now, timestamp, counter and random(a,b)");
    CHECK(why.error().excerpt == "  n=${gen:count}\n          ^^^^^");
    made<publisher> text(R"({"body":"$${payload:x} ${other:x} $x","raw":true})");
    answered_send c(1);
    REQUIRE(text.side);
    text.side->send(c);
    CHECK(c.texts.front() == "${payload:x} ${other:x} $x");
    CHECK(why_not(R"({"raw":true})") == "has no body");
    CHECK(why_not(R"({"body":"x","metadata":{"":"v"}})") == "metadata: \"\" is no key with a text");
}
