#include "host/loading/watchdog.hpp"

#include "host/loading/enter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <future>

using namespace mqb::loading;
using namespace std::chrono_literals;

namespace {

// Records what the watchdog asks for, and waits until it has.
struct record {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> all;

    void add(std::string what) {
        std::lock_guard lock{mutex};
        all.push_back(std::move(what));
        changed.notify_all();
    }
    bool wait_for(std::size_t n) {
        std::unique_lock lock{mutex};
        return changed.wait_for(lock, 20s, [&] { return all.size() >= n; });
    }
    watchdog_hooks hooks() {
        return {[this] { add("add"); }, [this] { add("retire"); },
                [this](std::string_view route, std::string_view cause) { add(std::string{route} + ": " + std::string{cause}); }};
    }
};

void block(const call_site& site, std::shared_future<void> until) {
    enter(
        site, [&] { until.wait(); }, [](const call_site&, std::string_view) {});
}

}  // namespace

TEST_CASE("a call that blocks gets a spare thread and a cause; both end with it") {
    record seen;
    watchdog dog{seen.hooks(), 5ms, 30ms};
    std::promise<void> go;
    std::thread blocked([&, until = go.get_future().share()] { block(place_of("kafka", "orders", "input")[entry_point::receive], until); });
    CHECK(seen.wait_for(2));
    go.set_value();
    blocked.join();
    CHECK(seen.wait_for(4));
    CHECK(seen.all == std::vector<std::string>{"add", "orders: blocked in kafka.receive", "retire", "orders: "});
}

TEST_CASE("a thread that is disposable needs no replacement, but its route has a cause") {
    record seen;
    watchdog dog{seen.hooks(), 5ms, 30ms};
    std::promise<void> go;
    std::thread blocked([&, until = go.get_future().share()] {
        this_thread_entry().is_disposable = true;
        block(place_of("kafka", "orders", "input")[entry_point::create], until);
    });
    CHECK(seen.wait_for(1));
    go.set_value();
    blocked.join();
    CHECK(seen.wait_for(2));
    CHECK(seen.all == std::vector<std::string>{"orders: blocked in kafka.create", "orders: "});
}

TEST_CASE("calls that come and go are not taken for one that blocks") {
    record seen;
    {
        watchdog dog{seen.hooks(), 5ms, 200ms};  // longer than a busy machine leaves a thread waiting for its turn
        const auto until = std::chrono::steady_clock::now() + 600ms;
        const call_site& site = place_of("busy", "orders", "input")[entry_point::send];
        while (std::chrono::steady_clock::now() < until)
            enter(
                site, [] { std::this_thread::yield(); }, [](const call_site&, std::string_view) {});
    }
    CHECK(seen.all.empty());
}

TEST_CASE("at most 64 spare threads are asked for") {
    record seen;
    watchdog dog{seen.hooks(), 5ms, 30ms};
    std::promise<void> go;
    const std::shared_future<void> until = go.get_future().share();
    std::vector<std::thread> threads;
    for (int i = 0; i < 70; ++i) threads.emplace_back([until] { block(place_of("all", "orders", "input")[entry_point::send], until); });
    CHECK(seen.wait_for(65));
    std::this_thread::sleep_for(60ms);  // more would come by now
    {
        std::lock_guard lock{seen.mutex};
        CHECK(std::ranges::count(seen.all, "add") == 64);
    }
    go.set_value();
    for (std::thread& t : threads) t.join();
    CHECK(seen.wait_for(130));
    CHECK(std::ranges::count(seen.all, "retire") == 64);
}

TEST_CASE("a call inside a call is stamped, and the outer one again after it") {
    const call_site& outer = place_of("mw", "r", "p")[entry_point::send];
    const call_site& inner = place_of("leaf", "r", "q")[entry_point::send];
    thread_entry& me = this_thread_entry();
    CHECK(me.site.load() == nullptr);
    const std::uint64_t before = me.sequence.load();
    {
        stamp one{outer};
        CHECK(me.site.load() == &outer);
        {
            stamp two{inner};
            CHECK(me.site.load() == &inner);
        }
        CHECK(me.site.load() == &outer);
    }
    CHECK(me.site.load() == nullptr);
    CHECK(me.sequence.load() == before + 4);
    CHECK(outer.text() == "mw.send");
    CHECK(&place_of("mw", "r", "p") == outer.place);
}
