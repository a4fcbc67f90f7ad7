#include "fakes.hpp"

#include <doctest/doctest.h>
#include <condition_variable>
#include <thread>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;
using namespace std::chrono_literals;

namespace {

// The blocking client: a queue that a test fills. What the consumer does is written down, with the thread it was done on.
struct client {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> queue;
    std::vector<std::string> log;
    std::set<std::thread::id> threads;
    bool is_woken = false;
    std::chrono::milliseconds longest{0};

    void put(const std::string& text) {
        std::lock_guard lock(mutex);
        queue.push_back(text);
        changed.notify_all();
    }
    void note(const std::string& what) {
        std::lock_guard lock(mutex);
        log.push_back(what);
        threads.insert(std::this_thread::get_id());
        changed.notify_all();
    }
    bool wait_for(const std::string& what, std::size_t times = 1) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, 10s, [&] { return static_cast<std::size_t>(std::count(log.begin(), log.end(), what)) >= times; });
    }
};
client* fake = nullptr;

template <bool Wakes>
class reader : public sdk::blocking_consumer {
public:
    reader(const sdk::context& made, const sdk::no_config&) : blocking_consumer(made) { set_idle_period(20ms); }
    static sdk::promises promise(const sdk::no_config&) { return sdk::promises().acknowledges(sdk::settles::message); }

    void connect() { fake->note("connect"); }
    sdk::status receive(sdk::receive_call& call, std::chrono::milliseconds slice) {
        fake->note("receive");
        std::unique_lock lock(fake->mutex);
        if (slice > fake->longest) fake->longest = slice;
        fake->changed.wait_for(lock, slice, [] { return !fake->queue.empty() || fake->is_woken; });
        fake->is_woken = false;
        if (fake->queue.empty()) return call.drains() ? sdk::status::end : sdk::status::pending;
        if (fake->queue.front() == "throw") {
            fake->queue.clear();
            throw sdk::disconnected("the line is dead");
        }
        auto batch = batches_.open();
        for (const std::string& one : fake->queue) batch->add(one);
        fake->queue.clear();
        return batch.give(call);
    }
    void settle(sdk::settle_call& call) { call.all_ok(), fake->note("settle"); }
    void idle(std::uint32_t unsettled) { fake->note("idle " + std::to_string(unsettled)); }
    sdk::status control(sdk::control_call& call) { return call.answer("{}"), sdk::status::done; }
    void disconnect() { fake->note("disconnect"); }
    void wake() noexcept requires Wakes {
        std::lock_guard lock(fake->mutex);
        fake->is_woken = true;
        fake->changed.notify_all();
    }

private:
    sdk::batch_pool<> batches_;
};

struct rig {
    client own;
    std::unique_ptr<testing::consumer> consumer;
    explicit rig(const mqb_factory& factory = sdk_test::endpoint<reader<true>>()) {
        fake = &own;
        consumer = std::make_unique<testing::consumer>(factory, "{}");
        REQUIRE(consumer->connect() == sdk::status::done);
    }
    testing::consumer* operator->() { return consumer.get(); }
};

}  // namespace

TEST_CASE("everything runs on one thread, from connect to disconnect") {
    rig r;
    r.own.put("a");
    auto got = r->receive(10);
    CHECK(got->payload(0) == "a");
    r->settle_all(*got);
    r->free_batch(*got);
    r.consumer.reset();
    CHECK(r.own.threads.size() == 1);
    CHECK(r.own.threads.count(std::this_thread::get_id()) == 0);
    CHECK(r.own.log.front() == "connect");
    CHECK(r.own.log.back() == "disconnect");
}

TEST_CASE("settles run between slices while a receive waits") {
    rig r(sdk_test::endpoint<reader<false>>());
    r.own.put("a");
    auto got = r->receive(10);
    auto waits = r->start_receive(10);
    CHECK(r.own.wait_for("receive", 3));
    r->settle_all(*got);  // waits for its answer, with the receive still out
    CHECK_FALSE(waits->is_done());
    CHECK(r.own.longest <= 50ms);
    r->free_batch(*got);
    r->cancel(waits->id());
    CHECK(waits->wait() == sdk::status::cancelled);
}

TEST_CASE("a cancelled receive ends with its messages or with none lost") {
    rig r;
    std::thread filling([&] {
        for (int i = 0; i < 300; ++i) {
            r.own.put(std::to_string(i));
            if (i % 7 == 0) std::this_thread::yield();
        }
    });
    int next = 0;
    while (next < 300) {
        auto call = r->start_receive(10);
        r->cancel(call->id());
        const sdk::status answer = call->wait();
        CHECK(call->completions() == 1);
        if (answer == sdk::status::cancelled) continue;
        REQUIRE(answer == sdk::status::done);
        for (std::uint32_t i = 0; i < call->size(); ++i) CHECK(call->payload(i) == std::to_string(next++));
        r->settle_all(*call);
        r->free_batch(*call);
    }
    filling.join();
}

TEST_CASE("idle runs at its period, whether or not messages are asked for, and knows what is unsettled") {
    rig r;
    CHECK(r.own.wait_for("idle 0", 2));
    r.own.put("a");
    r.own.put("b");
    auto got = r->receive(10);
    const std::string unsettled = "idle " + std::to_string(got->size());
    CHECK(r.own.wait_for(unsettled));
    r->settle(got->raw().batch, {0});
    CHECK(r.own.wait_for("idle " + std::to_string(got->size() - 1)));
    auto waits = r->start_receive(10);
    CHECK(r.own.wait_for("idle " + std::to_string(got->size() - 1), 3));
    r->free_batch(*got);
    CHECK(r.own.wait_for("idle 0", 4));
    r->cancel(waits->id());
    CHECK(waits->wait() == sdk::status::cancelled);
}

TEST_CASE("a failure and an end come back as the answer of the receive") {
    rig r;
    r.own.put("throw");
    auto failed = r->receive(10);
    CHECK(failed->wait() == sdk::status::disconnected);
    CHECK(failed->text() == "the line is dead");
    CHECK(r->connect() == sdk::status::done);
    CHECK(r->receive(10, true)->wait() == sdk::status::end);
}
