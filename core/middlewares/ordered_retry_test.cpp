#include "core/middlewares/ordered_retry_publisher.hpp"

#include "core/middlewares/scripted_publisher_test.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>

using namespace mqb::core;

namespace {

constexpr std::string_view exact = R"({"max_attempts": 3, "initial_interval_ms": 1000, "multiplier": 2, "jitter": 0})";

struct setting {
    explicit setting(std::string_view config = exact) {
        const auto policy = retry_policy::read(config);
        REQUIRE(policy.has_value());
        retry.emplace(inner, *policy, box, clock);
    }
    void deliver() {
        while (box.deliver_all()) {}
    }
    mailbox box;
    manual_timers clock{box};
    scripted_publisher inner{clock};
    std::optional<ordered_retry_publisher> retry;
};

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("what was started later waits behind a failed message, and all goes again in its order") {
    setting s;
    named_send x{"ab"}, y{"cd"}, z{"ef"};
    for (named_send* each : {&x, &y}) CHECK(s.retry->send(*each) == status::pending);
    s.inner.answer("da");
    CHECK(s.retry->send(z) == status::pending);  // not started: something has failed
    CHECK(s.clock.next() == UINT64_MAX);         // and something is still in flight
    s.inner.answer("uu");
    s.deliver();
    CHECK(s.inner.log == texts{"ab", "cd"});
    until_next(s.clock, s.box);
    CHECK(s.inner.log == texts{"ab", "cd", "b2", "cd", "ef"});
    CHECK(s.inner.times.back() == 1000);
    for (const char* letters : {"d", "dd", "dd"}) s.inner.answer(letters);
    CHECK(x.results() + y.results() + z.results() == "dddddd");
    for (const named_send* each : {&x, &y, &z}) CHECK(each->answers == std::vector{status::ok});
}

TEST_CASE("a send of which everything arrived has its answer at once, though another one has failed") {
    setting s;
    named_send x{"a"}, y{"B"};
    s.retry->send(x);
    s.retry->send(y);
    s.inner.answer("a");
    s.inner.answer("d");
    CHECK(y.answers == std::vector{status::ok});
    CHECK(x.answers.empty());
}

TEST_CASE("when a message is given up, everything behind it goes back unsent, also what was never started") {
    setting s{R"({"max_attempts": 2, "initial_interval_ms": 1000, "jitter": 0})"};
    named_send x{"ab"}, y{"c"}, z{"d"};
    s.retry->send(x);
    s.retry->send(y);
    s.inner.answer("au");
    s.inner.answer("u");
    until_next(s.clock, s.box);
    CHECK(s.inner.log == texts{"ab", "c", "a2b", "c"});
    s.inner.answer("au");
    CHECK(s.retry->send(z) == status::pending);
    s.inner.answer("u");
    CHECK(x.answers.empty());
    s.deliver();
    CHECK(x.results() + y.results() + z.results() == "euuu");
    CHECK(x.texts.of(0) == "Retries exhausted after 2 attempts: no a");
    for (const named_send* each : {&x, &y, &z}) CHECK(each->answers == std::vector{status::ok});
    CHECK(s.inner.log.size() == 4);
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("a message that ends uncertain, or that somebody below gave up, takes what is behind it back with it") {
    for (const char ends : {'?', 'e'}) {
        setting s;
        named_send x{"ab"}, y{"c"};
        s.retry->send(x);
        s.retry->send(y);
        s.inner.answer(std::string{ends} + "u");
        s.inner.answer("u");
        s.deliver();
        CHECK(x.results() == std::string{ends} + "u");
        CHECK(y.results() == "u");
        CHECK(s.inner.log.size() == 2);
    }
}

TEST_CASE("a refused message holds nobody up") {
    setting s;
    s.inner.script = {"rd"};
    named_send x{"ab"};
    CHECK(s.retry->send(x) == status::ok);
    CHECK(x.results() == "rd");
}

TEST_CASE("only messages that were tried are counted: one that waited has all its attempts") {
    setting s;
    s.inner.script = {"au", "au", "da", "a", "a"};
    named_send x{"ab"};
    s.retry->send(x);
    while (x.answers.empty()) until_next(s.clock, s.box);
    CHECK(s.inner.log == texts{"ab", "a2b", "a3b", "b2", "b3"});
    CHECK(x.results() == "de");
    CHECK(s.inner.times == std::vector<std::uint64_t>{0, 1000, 3000, 4000, 6000});
}

TEST_CASE("of calls that failed as a whole the first was a try, what came behind it was not") {
    setting s{R"({"max_attempts": 2, "jitter": 0})"};
    named_send x{"a"}, y{"b"};
    s.retry->send(x);
    s.retry->send(y);
    s.inner.answer("u", status::retry);
    s.inner.answer("u", status::retry);
    until_next(s.clock, s.box);
    CHECK(s.inner.log == texts{"a", "b", "a2", "b"});
    s.inner.answer("u", status::retry);
    s.inner.answer("u", status::retry);
    s.deliver();
    CHECK(x.results() == "e");
    CHECK(y.results() == "u");
}

TEST_CASE("a send that fails at once while others go again takes those behind it along") {
    setting s;
    named_send x{"a"}, y{"b"}, z{"c"};
    for (named_send* each : {&x, &y, &z}) s.retry->send(*each);
    for (const char* letters : {"a", "u", "u"}) s.inner.answer(letters);
    s.inner.script = {"d", "a"};
    until_next(s.clock, s.box);
    CHECK(s.inner.log == texts{"a", "b", "c", "a2", "b"});
    CHECK(x.answers == std::vector{status::ok});
    s.inner.script = {"d", "d"};
    until_next(s.clock, s.box);
    CHECK(s.inner.log == texts{"a", "b", "c", "a2", "b", "b2", "c"});
    CHECK(y.results() + z.results() == "dd");
}

TEST_CASE("a cancel while all waits ends the pause by mail; everything goes back with the outcomes that it has") {
    setting s;
    named_send x{"ab"}, y{"c"};
    s.retry->send(x);
    s.inner.answer("au");
    s.retry->send(y);
    s.deliver();
    s.retry->cancel(y);
    CHECK(y.answers.empty());
    s.deliver();
    CHECK(y.answers == std::vector{status::cancelled});
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() + y.results() == "auu");
    CHECK(s.clock.next() == UINT64_MAX);
}

TEST_CASE("a cancel in flight goes down, and what comes back is not tried again") {
    setting s;
    named_send x{"a"}, y{"b"};
    s.retry->send(x);
    s.retry->send(y);
    s.retry->cancel(x);
    CHECK(s.inner.cancelled.size() == 1);
    s.inner.answer("?", status::cancelled);
    s.inner.answer("u");
    s.deliver();
    CHECK(x.answers == std::vector{status::cancelled});
    CHECK(x.results() + y.results() == "?u");
    CHECK(s.inner.log.size() == 2);
}

TEST_CASE("an empty send passes while others wait, which go on waiting") {
    setting s;
    named_send x{"a"}, flush{""};
    s.retry->send(x);
    s.inner.answer("a");
    s.deliver();
    s.inner.script = {""};
    CHECK(s.retry->send(flush) == status::ok);
    CHECK(x.answers.empty());
    s.inner.script = {"d"};
    until_next(s.clock, s.box);
    CHECK(x.results() == "d");
}

namespace {

// An endpoint that keeps ordered_retry: what has failed holds back its lane in all sends that were started before the failure was
// told. Answers come in the order of the starts, each as a completion of its own. Messages are numbered by their delivery count.
struct ordered_sink final : publisher {
    explicit ordered_sink(std::minstd_rand& r) : random(r) {}
    status connect(call&) override { return status::ok; }
    status send(send_call& c) override { return pending.push_back({&c, told}), status::pending; }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
    void answer_one() {
        const auto [c, known] = pending.front();
        pending.pop_front();
        for (std::uint32_t k = 0; k < c->messages.count; ++k) {
            const message& m = c->messages[k];
            outcome& o = c->outcomes[k];
            const auto failed = failed_at.find(m.lane);
            if (failed != failed_at.end() && failed->second >= known) continue;  // unsent
            switch (std::uniform_int_distribution<int>{0, 9}(random)) {
                case 0:
                case 1:
                case 2: o.set(send_result::again); break;
                case 3: o.set(send_result::uncertain); break;
                case 4: o.set(send_result::refused); break;
                default: o.set(send_result::done); break;
            }
            if (o.sent() == send_result::done || o.sent() == send_result::refused)
                arrived[m.lane].push_back(m.delivery_count);
            else
                failed_at[m.lane] = told;
        }
        ++told;
        c->done(*c, status::ok);
    }
    std::minstd_rand& random;
    std::deque<std::pair<send_call*, std::uint64_t>> pending;
    std::uint64_t told = 1;                            // answers given so far
    std::map<std::uint64_t, std::uint64_t> failed_at;  // lane: the answer that told it
    std::map<std::uint64_t, std::vector<std::uint32_t>> arrived;
};

// Sends batches with a window, and presents again in order what came back: nothing new before everything is back.
struct ordered_caller {
    struct batch : send_call {
        ordered_caller* self = nullptr;
        std::uint32_t number = 0;
        std::vector<message> left;
        std::vector<outcome> results;
        bool in_flight = false;
    };
    ordered_caller(publisher& p, std::uint32_t batches, std::uint32_t lanes, std::uint32_t size) : to(p) {
        std::map<std::uint64_t, std::uint32_t> last;
        for (std::uint32_t n = 0; n < batches; ++n) {
            batch& b = *all.emplace_back(std::make_unique<batch>());
            b.self = this;
            b.number = n;
            b.done = [](call& c, status) noexcept {
                auto& mine = static_cast<batch&>(c);
                mine.self->back(mine);
            };
            for (std::uint32_t i = 0; i < size; ++i) {
                message& m = b.left.emplace_back();
                m.lane = 1 + (n * size + i * 7) % lanes;
                m.delivery_count = ++last[m.lane];
            }
            queue.push_back(&b);
        }
    }
    void start_some() {
        while (!queue.empty() && !gathers && in_flight < 4) {
            batch& b = *queue.front();
            queue.pop_front();
            b.results.assign(b.left.size(), outcome{});
            b.messages = message_list{std::span<const message>{b.left}};
            b.outcomes = list<outcome>{std::span<outcome>{b.results}};
            ++in_flight;
            if (to.send(b) != status::pending) back(b);
        }
    }
    void back(batch& b) {
        --in_flight;
        std::vector<message> left;
        for (std::uint32_t i = 0; i < b.left.size(); ++i)
            if (b.results[i].sent() != send_result::done && b.results[i].sent() != send_result::refused) left.push_back(b.left[i]);
        b.left = std::move(left);
        if (!b.left.empty()) {
            gathers = true;
            queue.insert(std::ranges::find_if(queue, [&](const batch* q) { return q->number > b.number; }), &b);
        }
        if (in_flight == 0) gathers = false;
    }
    publisher& to;
    std::vector<std::unique_ptr<batch>> all;
    std::deque<batch*> queue;
    std::uint32_t in_flight = 0;
    bool gathers = false;
};

}  // namespace

TEST_CASE("whatever fails, each lane arrives in its order, whole and once") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        std::minstd_rand random{seed};
        mailbox box;
        manual_timers clock{box};
        ordered_sink sink{random};
        const auto policy = retry_policy::read(R"({"max_attempts": 3})");
        REQUIRE(policy.has_value());
        ordered_retry_publisher retry{sink, *policy, box, clock};
        constexpr std::uint32_t batches = 30, lanes = 3, size = 4;
        ordered_caller caller{retry, batches, lanes, size};
        int turns = 0;
        while ((!caller.queue.empty() || caller.in_flight != 0) && ++turns < 100'000) {
            caller.start_some();
            if (!sink.pending.empty() && std::uniform_int_distribution<int>{0, 1}(random))
                sink.answer_one();
            else if (!box.deliver_all() && sink.pending.empty())
                until_next(clock, box);
        }
        std::size_t total = 0;
        for (const auto& [lane, numbers] : sink.arrived) {
            total += numbers.size();
            for (std::size_t i = 0; i < numbers.size(); ++i) REQUIRE(numbers[i] == i + 1);
        }
        CHECK(total == batches * size);
    }
}
