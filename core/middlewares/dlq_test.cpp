#include "core/middlewares/dlq.hpp"

#include "core/middlewares/dlq_publisher.hpp"
#include "core/middlewares/retry_publisher.hpp"
#include "core/middlewares/scripted_publisher_test.hpp"

#include <memory>
#include <optional>
#include <utility>

using namespace mqb::core;

namespace {

constexpr std::string_view error_key = "mq_bridge.dlq.error";

// Keeps what came, and answers as the scripted one.
struct dead_letters final : publisher {
    explicit dead_letters(timers& clock) : by(clock) {}
    status connect(call& c) override { return by.connect(c); }
    status send(send_call& c) override {
        for (std::uint32_t k = 0; k < c.messages.count; ++k) letters.emplace_back(c.messages.copy(k).metadata, c.messages[k].payload);
        return by.send(c);
    }
    void cancel(call& c) override { by.cancel(c); }
    status close(call& c) override { return by.close(c); }
    void listen(event_sink* sink) override { listener = sink; }

    struct letter {
        letter(const buffer& metadata, const buffer& body)
            : error(text_of(metadata, error_key)), route(text_of(metadata, "mq_bridge.dlq.route")),
              time(text_of(metadata, "mq_bridge.dlq.timestamp_ms")), own(text_of(metadata, "k")), payload(body.data) {}
        std::string error, route, time, own;
        const std::uint8_t* payload;
    };
    scripted_publisher by;
    std::vector<letter> letters;
    event_sink* listener = nullptr;
};

struct setting {
    setting() {
        auto made = std::make_unique<dead_letters>(clock);
        nested = made.get();
        dlq.emplace(inner, std::move(made), "orders", box, clock);
    }
    void run(named_send& s) {
        const status answer = dlq->send(s);
        if (answer != status::pending) s.answers.push_back(answer);
    }
    void deliver() {
        while (box.deliver_all()) {}
    }
    mailbox box;
    manual_timers clock{box};
    scripted_publisher inner{clock};
    dead_letters* nested = nullptr;
    std::optional<dlq_publisher> dlq;
};

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("what was refused or is exhausted becomes a dead letter, at whatever place of the batch; all else passes as it is") {
    const std::string classes = "dar?euf";
    for (const char first : classes)
        for (const char second : classes)
            for (const char third : classes) {
                setting s;
                const std::string letters{first, second, third};
                std::string dead, expected = letters;
                for (std::size_t i = 0; i < 3; ++i)
                    if (letters[i] == 'r' || letters[i] == 'e') {
                        dead += static_cast<char>('a' + i);
                        expected[i] = 'l';
                    }
                s.inner.script = {letters};
                if (!dead.empty()) s.nested->by.script = {std::string(dead.size(), 'd')};
                named_send x{"abc"};
                s.run(x);
                CAPTURE(letters);
                CHECK(x.results() == expected);
                CHECK(s.nested->by.log == (dead.empty() ? texts{} : texts{dead}));
                CHECK(x.answers == std::vector{status::ok});
            }
}

TEST_CASE("a dead letter is the message with the reason, the route and the time; the payload is not copied") {
    setting s;
    const std::array own{text_edit{"k", "v"}, text_edit{error_key, "of an earlier time"}};
    const counted_block block = edited(buffer{}, own);
    s.clock.advance_to(1'700'000'123'456'789'000);
    s.inner.script = {"re"};
    s.nested->by.script = {"dd"};
    named_send x{"ab"};
    x.messages_[0].metadata = block.get();
    s.run(x);
    REQUIRE(s.nested->letters.size() == 2);
    const auto& refused = s.nested->letters[0];
    CHECK(refused.error == "non-retryable error: no r");
    CHECK(refused.route == "orders");
    CHECK(refused.time == "1700000123456");
    CHECK(refused.own == "v");
    CHECK(refused.payload == x.messages_[0].payload.data);
    CHECK(s.nested->letters[1].error == "retryable error: no e");
}

TEST_CASE("a message whose metadata have no room for the reason is kept all the same") {
    setting s;
    std::vector<text_edit> many(4096, text_edit{"e", "x"});
    const counted_block full = edited(buffer{}, many);
    s.inner.script = {"r"};
    s.nested->by.script = {"d"};
    named_send x{"a"};
    x.messages_[0].metadata = full.get();
    s.run(x);
    CHECK(x.results() == "l");
    CHECK(s.nested->letters[0].error.empty());
}

TEST_CASE("a dead-letter endpoint that fails for now loses nothing: the message is to be sent again, and is not exhausted") {
    for (const char fails : {'a', 'e', 'u', '?'}) {
        setting s;
        s.inner.script = {"rde"};
        s.nested->by.script = {std::string(2, fails)};
        s.nested->by.not_before = 77;
        named_send x{"abc"};
        s.run(x);
        CAPTURE(fails);
        CHECK(x.results() == "ada");
        CHECK(x.outcomes_[0].flags == 0);
        CHECK(x.outcomes_[0].number == (fails == 'a' || fails == 'e' ? 77 : 0));
        const std::string why = fails == 'u' ? std::string{} : std::string{": no "} + fails;
        CHECK(x.texts.of(0) == "non-retryable error: no r; the dead-letter endpoint failed" + why);
        CHECK(x.texts.of(2) == "retryable error: no e; the dead-letter endpoint failed" + why);
    }
}

TEST_CASE("where the dead-letter endpoint refuses the message it keeps the outcome that it had, and the text says both") {
    setting s;
    s.inner.script = {"rre"};
    s.nested->by.script = {"rdr"};
    named_send x{"abc"};
    s.run(x);
    CHECK(x.results() == "rle");
    CHECK(x.texts.of(0) == "non-retryable error: no r; the dead-letter endpoint refused it: no r");
    CHECK(x.texts.of(2) == "retryable error: no e; the dead-letter endpoint refused it: no r");
}

TEST_CASE("a dead-letter endpoint that can never take anything has refused what it did not send; one that fails as a whole has not") {
    for (const status answer : {status::rejected, status::unsupported, status::bad_config, status::retry, status::cancelled}) {
        setting s;
        s.inner.script = {"r"};
        s.nested->by.script = {"u"};
        s.nested->by.script_status = answer;
        named_send x{"a"};
        s.run(x);
        CHECK(x.results() == (answer == status::retry || answer == status::cancelled ? "a" : "r"));
        CHECK(x.answers == std::vector{status::ok});
    }
}

TEST_CASE("what the dead-letter endpoint throws away on purpose is counted as that") {
    setting s;
    s.inner.script = {"rr"};
    s.nested->by.script = {"fd"};
    named_send x{"ab"};
    s.run(x);
    CHECK(x.results() == "fl");
}

TEST_CASE("the mark of a try that may have arrived stays, whatever becomes of the dead letter") {
    for (const auto& [nested, expected] : {std::pair{"d", "l*"}, std::pair{"a", "a*"}, std::pair{"r", "r*"}}) {
        setting s;
        named_send x{"a"};
        s.run(x);
        s.inner.pending.front()->outcomes[0].flags = was_uncertain;
        s.nested->by.script = {nested};
        s.inner.answer("r");
        CHECK(x.results() == expected);
    }
}

TEST_CASE("responses to the good part of a batch reach the caller") {
    setting s;
    named_send x{"ab"};
    static std::vector<std::uint32_t> answered;
    answered.clear();
    x.answer = [](send_call&, std::uint32_t i, const message&) { answered.push_back(i); };
    s.run(x);
    message response;
    s.inner.pending.front()->answer(*s.inner.pending.front(), 1, response);
    s.nested->by.script = {"d"};
    s.inner.answer("rd");
    CHECK(answered == std::vector<std::uint32_t>{1});
    CHECK(x.results() == "ld");
}

TEST_CASE("the dead-letter endpoint gets one send at a time, in the order in which the failures came") {
    setting s;
    named_send x{"a"}, y{"b"}, z{"c"};
    for (named_send* each : {&x, &y, &z}) s.run(*each);
    for (int i = 0; i < 3; ++i) s.inner.answer("r");
    CHECK(s.nested->by.log == texts{"a"});
    CHECK(x.answers.empty());
    s.nested->by.answer("d");
    CHECK(x.results() == "l");
    CHECK(s.nested->by.log == texts{"a", "b"});
    s.nested->by.script = {"d"};
    s.nested->by.answer("a");
    CHECK(s.nested->by.log == texts{"a", "b", "c"});
    CHECK(y.results() + z.results() == "al");
    for (const named_send* each : {&x, &y, &z}) CHECK(each->answers == std::vector{status::ok});
}

TEST_CASE("an empty send finishes first what the endpoint holds, then what the dead-letter endpoint holds, if it got anything") {
    setting s;
    s.inner.script = {"", "r", "", "", "", ""};
    s.nested->by.script = {"d", "", "", ""};
    named_send nothing{""}, x{"a"}, flush{""}, again{""};
    s.run(nothing);
    CHECK(s.nested->by.log.empty());
    s.run(x);
    s.run(flush);
    CHECK(s.nested->by.log == texts{"a", ""});
    s.run(again);
    CHECK(s.nested->by.log.size() == 2);
    CHECK(s.inner.log == texts{"", "a", "", ""});
    for (const named_send* each : {&nothing, &x, &flush, &again}) CHECK(each->answers == std::vector{status::ok});
    s.inner.script = {"r", "", ""};
    s.nested->by.script = {"d", "", ""};
    named_send y{"b"}, fails{""};
    s.run(y);
    s.nested->by.script_status = status::retry;
    s.run(fails);
    CHECK(fails.answers == std::vector{status::retry});
    CHECK(fails.texts.of(whole_call) == "the dead-letter endpoint failed: retry");
}

TEST_CASE("a cancel reaches whoever has the send") {
    setting s;
    named_send x{"a"}, y{"b"}, z{"c"};
    for (named_send* each : {&x, &y, &z}) s.run(*each);
    s.dlq->cancel(x);
    CHECK(s.inner.cancelled.size() == 1);
    s.inner.answer("r");  // it is not buried any more
    CHECK(x.results() == "a");
    CHECK(x.texts.of(0) == "non-retryable error: no r; the dead-letter endpoint failed: cancelled");
    s.inner.answer("r");
    s.inner.answer("e");
    s.dlq->cancel(z);  // waits for the dead-letter endpoint
    CHECK(z.answers.empty());
    s.deliver();
    CHECK(z.results() == "a");
    s.dlq->cancel(y);
    CHECK(s.nested->by.cancelled.size() == 1);
    s.nested->by.answer("u", status::cancelled);
    CHECK(y.results() == "a");
    for (const named_send* each : {&x, &y, &z}) CHECK(each->answers == std::vector{status::ok});
    CHECK(s.nested->by.log == texts{"b"});
}

TEST_CASE("a cancelled send that waits has its answer by mail, also when the dead-letter endpoint becomes free before") {
    setting s;
    named_send x{"a"}, y{"b"};
    s.run(x);
    s.run(y);
    s.inner.answer("r");
    s.inner.answer("r");
    s.dlq->cancel(y);
    s.nested->by.answer("d");
    CHECK(y.answers.empty());
    s.deliver();
    CHECK(y.answers == std::vector{status::ok});
    CHECK(x.results() + y.results() == "la");
}

TEST_CASE("connect, close and events are those of the dead-letter endpoint") {
    setting s;
    call c;
    s.nested->by.connect_answer = status::bad_config;
    CHECK(s.dlq->connect(c) == status::bad_config);
    CHECK(s.dlq->close(c) == status::ok);
    struct sink final : event_sink {
    } above;
    s.dlq->listen(&above);
    CHECK(s.nested->listener == &above);
    CHECK(s.nested->by.connects + s.nested->by.closes == 2);
    CHECK(s.inner.connects + s.inner.closes == 0);
}

TEST_CASE("retry, then dlq: what was retried in vain is a dead letter. dlq, then retry: it is not") {
    const auto policy = retry_policy::read(R"({"max_attempts": 2, "jitter": 0})");
    REQUIRE(policy.has_value());
    {
        setting s;
        retry_publisher retry{s.inner, *policy, s.clock, true};
        auto made = std::make_unique<dead_letters>(s.clock);
        dead_letters& nested = *made;
        dlq_publisher dlq{retry, std::move(made), "orders", s.box, s.clock};
        s.inner.script = {"da", "a"};
        nested.by.script = {"d"};
        named_send x{"ab"};
        CHECK(dlq.send(x) == status::pending);
        until_next(s.clock, s.box);
        CHECK(x.results() == "dl");
        CHECK(s.inner.log == texts{"ab", "b2"});
        CHECK(nested.by.log == texts{"b"});  // as it reached the dlq: without the attempt
        CHECK(nested.letters[0].error == "retryable error: Retries exhausted after 2 attempts: no a");
    }
    setting s;
    retry_publisher retry{*s.dlq, *policy, s.clock, true};
    s.inner.script = {"ra", "a"};
    s.nested->by.script = {"d"};
    named_send x{"ab"};
    CHECK(retry.send(x) == status::pending);
    until_next(s.clock, s.box);
    CHECK(x.results() == "le");
    CHECK(s.nested->by.log == texts{"a"});
}

TEST_CASE("a dlq keeps the order of first tries, and as many sends in flight, but not the order of what is sent again") {
    dlq_factory factory;
    promises inner;
    inner.flags = promises::ordered | promises::ordered_retry | promises::idempotent | promises::transactional | promises::responds;
    CHECK(factory.promise("{}", publisher_side, inner)->flags == (promises::ordered | promises::concurrent | promises::responds));
    inner.flags = promises::ordered;
    CHECK(factory.promise("{}", publisher_side, inner)->flags == promises::ordered);
    CHECK(factory.sides() == publisher_side);
}
