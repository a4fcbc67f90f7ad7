#include "core/timers.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <vector>

using namespace mqb::core;

namespace {

struct counted : timer {
    counted() {
        deliver = [](mail& m) noexcept {
            auto& t = static_cast<counted&>(m);
            ++t.times;
            t.cancelled = t.was_cancelled;
        };
    }
    int times = 0;
    bool cancelled = false;
};

}  // namespace

TEST_CASE("a manual clock delivers timers in the order of their times, through the mailbox") {
    mailbox box;
    manual_timers clock{box};
    const auto start = clock.now_steady();
    counted first, second, third;
    clock.wait_until(start + 30, third);
    clock.wait_until(start + 10, first);
    clock.wait_until(start + 20, second);
    CHECK(clock.next() == start + 10);
    clock.advance_to(start + 20);
    CHECK(first.times == 0);
    box.deliver_all();
    CHECK(first.times == 1);
    CHECK(second.times == 1);
    CHECK(third.times == 0);
    clock.cancel(third);
    clock.cancel(third);
    clock.cancel(first);
    box.deliver_all();
    CHECK(third.times == 1);
    CHECK(third.cancelled);
    CHECK(first.times == 1);
    CHECK(clock.next() == UINT64_MAX);
}

TEST_CASE("a timer of the real clock comes once, whether cancel or expiry is first") {
    boost::asio::thread_pool pool{2};
    mailbox box;
    asio_timers clock{pool.get_executor(), box};
    constexpr int n = 2000;
    std::vector<std::unique_ptr<counted>> all;
    int cancelled = 0;
    for (int i = 0; i < n; ++i) {
        counted& t = *all.emplace_back(std::make_unique<counted>());
        clock.wait_until(clock.now_steady() + static_cast<std::uint64_t>(i % 50) * 1000, t);
        if (i % 3) clock.cancel(t);
        if (i % 7 == 0) clock.cancel(t);
        box.deliver_all();
    }
    pool.join();
    box.deliver_all();
    for (auto& t : all) {
        REQUIRE(t->times == 1);
        cancelled += t->cancelled;
    }
    CHECK(cancelled > 0);
}

TEST_CASE("a timer is used again after it was delivered, and may outlive its executor") {
    counted t;
    mailbox box;
    {
        boost::asio::thread_pool pool{1};
        asio_timers clock{pool.get_executor(), box};
        clock.wait_until(clock.now_steady() + 3'600'000'000'000, t);
        clock.cancel(t);
        box.deliver_all();
        CHECK(t.cancelled);
        clock.wait_until(clock.now_steady(), t);
        pool.join();
        box.deliver_all();
        CHECK(t.times == 2);
        CHECK_FALSE(t.cancelled);
    }
    CHECK(t.times == 2);
}
