#include "core/middlewares/retry.hpp"

#include "core/middlewares/retry_publisher.hpp"
#include "core/middlewares/scripted_publisher_test.hpp"

#include <algorithm>
#include <optional>

using namespace mqb::core;

namespace {

struct setting {
    explicit setting(std::string_view config, bool keeps_together = true) {
        const auto policy = retry_policy::read(config);
        REQUIRE(policy.has_value());
        retry.emplace(inner, *policy, clock, keeps_together);
    }
    // Until it has its answer.
    void run(named_send& s) {
        const status answer = retry->send(s);
        if (answer != status::pending) s.answers.push_back(answer);
        while (s.answers.empty() && clock.next() != UINT64_MAX) until_next(clock, box);
    }
    mailbox box;
    manual_timers clock{box};
    scripted_publisher inner{clock};
    std::optional<retry_publisher> retry;
};

using texts = std::vector<std::string>;
using times = std::vector<std::uint64_t>;
constexpr std::string_view exact =
    R"({"max_attempts": 4, "initial_interval_ms": 1000, "max_interval_ms": 3000, "multiplier": 2, "jitter": 0})";

}  // namespace

TEST_CASE("C104: tries come at the times that were configured, and then it is given up") {
    setting s{exact};
    s.inner.script = {"a", "a", "a", "a"};
    named_send x{"x"};
    s.run(x);
    CHECK(s.inner.times == times{0, 1000, 3000, 6000});
    CHECK(s.inner.log == texts{"x", "x2", "x3", "x4"});
    CHECK(x.results() == "e");
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.texts.of(0) == "Retries exhausted after 4 attempts: no a");
}

TEST_CASE("C104: with a time limit the last try starts before it") {
    setting s{R"({"max_attempts": 100, "initial_interval_ms": 1000, "max_interval_ms": 3000, "jitter": 0, "max_elapsed_ms": 5000})"};
    for (int i = 0; i < 100; ++i) s.inner.script.push_back("a");
    named_send x{"x"};
    s.run(x);
    CHECK(s.inner.times == times{0, 1000, 3000});
    CHECK(x.results() == "e");
    CHECK(x.texts.of(0) == "Retries exhausted after 3 attempts: no a");
}

TEST_CASE("C104: no attempts at all is one attempt") {
    setting s{R"({"max_attempts": 0})"};
    s.inner.script = {"a"};
    named_send x{"x"};
    s.run(x);
    CHECK(s.inner.times == times{0});
    CHECK(x.results() == "e");
    CHECK(x.texts.of(0) == "Retries exhausted after 1 attempt: no a");
}

TEST_CASE("C104: thousands of tries keep the longest pause") {
    setting s{R"({"max_attempts": 5007, "initial_interval_ms": 1, "max_interval_ms": 50, "multiplier": 2, "jitter": 0})"};
    for (int i = 0; i < 5007; ++i) s.inner.script.push_back("a");
    named_send x{"x"};
    s.run(x);
    REQUIRE(s.inner.times.size() == 5007);
    for (std::size_t i = 7; i < s.inner.times.size(); ++i) REQUIRE(s.inner.times[i] - s.inner.times[i - 1] == 50);
    CHECK(x.results() == "e");
}

TEST_CASE("C104: with jitter a batch goes again in a few parts that lie apart") {
    setting s{R"({"max_attempts": 2, "initial_interval_ms": 1000, "jitter": 0.2})", false};
    named_send x{std::string(50, 'm')};
    REQUIRE(s.retry->send(x) == status::pending);
    s.inner.answer(std::string(50, 'a'));
    std::size_t sent = 0;
    for (int part = 0; part < 8 && s.clock.next() != UINT64_MAX; ++part) {
        until_next(s.clock, s.box);
        const std::size_t size = s.inner.pending.front()->messages.count;
        sent += size;
        s.inner.answer(std::string(size, 'd'));
    }
    CHECK(sent == 50);
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() == std::string(50, 'd'));
    CHECK(s.inner.times.size() > 3);  // fewer of eight places: once in 10^17 runs
    CHECK(s.inner.times.back() - s.inner.times[1] >= 50);
    CHECK(s.inner.times[1] >= 800);
    CHECK(s.inner.times.back() <= 1200);
}

TEST_CASE("the messages of a batch that an ordered endpoint refused for now go again together, in their order") {
    setting s{R"({"initial_interval_ms": 1000, "jitter": 0.2})"};
    s.inner.script = {"adada", "ddd"};
    named_send x{"abcde"};
    s.run(x);
    CHECK(s.inner.log == texts{"abcde", "a2c2e2"});
    CHECK(s.inner.times[1] >= 800);
    CHECK(s.inner.times[1] <= 1200);
    CHECK(x.results() == "ddddd");
}

TEST_CASE("only what was refused for now goes again, at whatever place of the batch, and keeps its place") {
    const std::string classes = "dar?ef";
    for (const char first : classes)
        for (const char second : classes)
            for (const char third : classes) {
                setting s{exact};
                const std::string letters{first, second, third};
                s.inner.script = {letters};
                const auto failed = std::ranges::count(letters, 'a');
                if (failed) s.inner.script.push_back(std::string(static_cast<std::size_t>(failed), 'd'));
                named_send x{"abc"};
                s.run(x);
                std::string again, expected = letters;
                for (std::size_t i = 0; i < 3; ++i)
                    if (letters[i] == 'a') {
                        ((again += static_cast<char>('a' + i)) += '2');
                        expected[i] = 'd';
                    }
                CAPTURE(letters);
                CHECK(x.results() == expected);
                CHECK(s.inner.log == (failed ? texts{"abc", again} : texts{"abc"}));
                CHECK(x.answers == std::vector{status::ok});
                CHECK(s.inner.script.empty());
            }
}

TEST_CASE("what came back unsent behind a failed message goes with it, without having been tried; without one it comes back") {
    setting s{exact};
    s.inner.script = {"dauu", "auu", "dau", "dd"};
    named_send x{"abcd"};
    s.run(x);
    CHECK(s.inner.log == texts{"abcd", "b2cd", "b3cd", "c2d"});
    CHECK(s.inner.times == times{0, 1000, 3000, 4000});
    CHECK(x.results() == "dddd");
    s.inner.script = {"?u"};
    named_send y{"ab"};
    s.run(y);
    CHECK(y.results() == "?u");
}

TEST_CASE("what stands behind a message that is given up goes at once") {
    setting s{R"({"max_attempts": 1})"};
    s.inner.script = {"auu", "dd"};
    named_send x{"abc"};
    s.run(x);
    CHECK(s.inner.log == texts{"abc", "bc"});
    CHECK(s.inner.times == times{0, 0});
    CHECK(x.results() == "edd");
}

TEST_CASE("a call that failed as a whole was a try of all its messages") {
    setting s{exact};
    s.inner.script = {"du", "u", "u", "u"};
    s.inner.script_status = status::retry;
    named_send x{"ab"};
    s.run(x);
    CHECK(s.inner.log == texts{"ab", "b2", "b3", "b4"});
    CHECK(x.results() == "de");
    CHECK(x.texts.of(1) == "Retries exhausted after 4 attempts");
}

TEST_CASE("an answer that no retry can change passes at once, with the outcomes as they are") {
    for (const status hard : {status::rejected, status::unsupported, status::bad_config, status::cancelled}) {
        setting s{exact};
        s.inner.script = {"dau"};
        s.inner.script_status = hard;
        named_send x{"abc"};
        s.run(x);
        CHECK(x.answers == std::vector{hard});
        CHECK(x.results() == "dau");
        CHECK(s.inner.log.size() == 1);
    }
}

TEST_CASE("an endpoint that asks for time gets it, also more than the longest pause") {
    setting s{exact};
    s.inner.not_before = 7'500'000'000;
    s.inner.script = {"a", "a"};
    named_send x{"x"};
    CHECK(s.retry->send(x) == status::pending);
    until_next(s.clock, s.box);
    s.inner.not_before = 10;
    s.inner.script = {"d"};
    until_next(s.clock, s.box);
    CHECK(s.inner.times == times{0, 7500, 15000});
}

TEST_CASE("an attempt that an earlier retry has left in the metadata is taken off in the first try") {
    setting s{exact};
    s.inner.script = {"da", "d"};
    const std::array old{text_edit{"mq_bridge.retry.attempt", "9"}, text_edit{"k", "v"}};
    const counted_block block = edited(buffer{}, old);
    named_send x{"ab"};
    x.messages_[1].metadata = block.get();
    s.run(x);
    CHECK(s.inner.log == texts{"ab", "b2"});
    CHECK(x.results() == "dd");
}

TEST_CASE("the payload is never copied, and what is not the attempt stays in the metadata") {
    setting s{exact};
    const std::array own{text_edit{"k", "v"}};
    const counted_block block = edited(buffer{}, own);
    named_send x{"a"};
    x.messages_[0].metadata = block.get();
    CHECK(s.retry->send(x) == status::pending);
    CHECK(s.inner.pending.front()->messages[0].metadata.data == block.get().data);
    s.inner.answer("a");
    until_next(s.clock, s.box);
    const message again = s.inner.pending.front()->messages.copy(0);
    CHECK(again.payload.data == x.messages_[0].payload.data);
    CHECK(text_of(again.metadata, "k") == "v");
    CHECK(text_of(again.metadata, "mq_bridge.retry.attempt") == "2");
    s.inner.answer("d");
    CHECK(x.results() == "d");
}

TEST_CASE("the mark of a try that may have arrived survives all later ones") {
    setting s{exact};
    named_send x{"ab"};
    CHECK(s.retry->send(x) == status::pending);
    s.inner.pending.front()->outcomes[0].flags = was_uncertain;
    s.inner.answer("aa");
    until_next(s.clock, s.box);
    s.inner.answer("rd");
    CHECK(x.results() == "r*d");
}

TEST_CASE("the response to a message finds its place also in a later try") {
    setting s{exact};
    named_send x{"abc"};
    static std::vector<std::uint32_t> answered;
    answered.clear();
    x.answer = [](send_call&, std::uint32_t i, const message&) { answered.push_back(i); };
    CHECK(s.retry->send(x) == status::pending);
    message response;
    s.inner.pending.front()->answer(*s.inner.pending.front(), 1, response);
    s.inner.answer("ada");
    until_next(s.clock, s.box);
    s.inner.pending.front()->answer(*s.inner.pending.front(), 1, response);
    s.inner.answer("dd");
    CHECK(answered == std::vector<std::uint32_t>{1, 2});
    CHECK(x.results() == "ddd");
}

TEST_CASE("a cancel ends the pause at once, by mail, and the outcomes are those of the last try") {
    setting s{exact};
    named_send x{"abc"};
    CHECK(s.retry->send(x) == status::pending);
    s.inner.answer("dau");
    s.retry->cancel(x);
    CHECK(x.answers.empty());
    s.box.deliver_all();
    CHECK(x.answers == std::vector{status::cancelled});
    CHECK(x.results() == "dau");
    CHECK(s.clock.next() == UINT64_MAX);
    CHECK(s.inner.log.size() == 1);
}

TEST_CASE("a cancelled try is the last one") {
    setting s{exact};
    named_send x{"ab"};
    CHECK(s.retry->send(x) == status::pending);
    s.retry->cancel(x);
    CHECK(s.inner.cancelled.size() == 1);
    s.inner.answer("a?", status::cancelled);
    CHECK(x.answers == std::vector{status::cancelled});
    CHECK(x.results() == "a?");
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("an empty send passes down while others wait, which go on waiting; sends do not wait for one another") {
    setting s{exact};
    named_send x{"a"}, flush{""}, y{"b"};
    CHECK(s.retry->send(x) == status::pending);
    s.inner.answer("a");
    s.inner.script = {""};
    CHECK(s.retry->send(flush) == status::ok);
    s.inner.script = {"d"};
    CHECK(s.retry->send(y) == status::ok);
    CHECK(x.answers.empty());
    CHECK(s.inner.log == texts{"a", "", "b"});
    s.inner.script = {"d"};
    until_next(s.clock, s.box);
    CHECK(s.inner.log.back() == "a2");
    CHECK(x.answers == std::vector{status::ok});
}

TEST_CASE("an empty send that fails is not tried again") {
    setting s{exact};
    s.inner.script = {""};
    s.inner.script_status = status::retry;
    named_send flush{""};
    CHECK(s.retry->send(flush) == status::retry);
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("settings that make no sense are refused, each with its name") {
    retry_factory factory;
    const auto why = [&](std::string_view config) {
        const auto p = factory.promise(config, publisher_side, {});
        return p ? std::string{} : p.error().text;
    };
    CHECK(why("{}").empty());
    CHECK(why("null").empty());
    CHECK(why(R"({"jitter": 1})").empty());
    CHECK(why(R"({"jitter": 1.5})") == "jitter: has to be a number from 0 to 1");
    CHECK(why(R"({"max_attempts": -1})") == "max_attempts: has to be a number from 0 to 4294967295");
    CHECK(why(R"({"multiplier": "two"})") == "multiplier: has to be a number from 0 to 1000000000");
    CHECK(why("[]") == "has to be a map");
    CHECK_FALSE(why("{").empty());
}

TEST_CASE("a retry leaves the promises below it as they are, but for sends that are done whole or not at all") {
    retry_factory factory;
    promises inner;
    inner.flags = promises::ordered | promises::ordered_retry | promises::concurrent | promises::idempotent | promises::transactional |
                  promises::responds;
    CHECK(factory.promise("{}", publisher_side, inner)->flags == (inner.flags & ~std::uint32_t{promises::transactional}));
    CHECK(factory.sides() == publisher_side);
}
