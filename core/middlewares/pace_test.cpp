#include "core/middlewares/pace.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using namespace mqb::core;

namespace {
constexpr std::uint64_t start = 1'000'000'000, ms = 1'000'000, second = 1'000'000'000;
}

TEST_CASE("batches that come without a pause take exactly the time that the rate says, however odd it is") {
    for (const double rate : {3.0, 7.0, 0.3, 1234.567, 2000.5, 1e6 / 3}) {
        const auto p = pace::of_messages(rate);
        std::uint64_t messages = 0, due = start;
        for (std::uint32_t i = 0; i < 100'000; ++i) {
            const std::uint32_t count = i % 7 + 1;
            messages += count;
            due = p->reserve(start, count).due;
        }
        const double exact = static_cast<double>(messages) / rate * 1e9;
        CHECK(std::abs(static_cast<double>(due - start) - exact) < 2);  // ns
    }
}

TEST_CASE("what was not used is gone: after a pause a batch waits as long as ever") {
    const auto p = pace::of_messages(1000);
    CHECK(p->reserve(start, 10).due == start + 10 * ms);
    CHECK(p->reserve(start + 5 * second, 10).due == start + 5 * second + 10 * ms);
    CHECK(p->reserve(start + 5 * second + 4 * ms, 1).due == start + 5 * second + 11 * ms);
}

TEST_CASE("a timer that comes late does not make a rate slower, up to a bound") {
    const auto p = pace::of_messages(1000);
    std::uint64_t now = start;
    for (int i = 0; i < 1000; ++i) {
        const auto s = p->reserve(now, 1);
        now = (s.due > now ? s.due : now) + 300'000;  // so late
        p->used(s, now);
    }
    CHECK(now == start + 1000 * ms + 300'000);
    const auto s = p->reserve(now + 500'000, 1);  // half a ms in which nobody came
    CHECK(s.due == start + 1001 * ms + 500'000);
    p->used(s, s.due + 10 * second);
    CHECK(p->reserve(s.due + 10 * second, 1).due == s.due + 10 * second - 20 * ms + ms);
}

TEST_CASE("a pace of calls knows neither counts nor how late a timer was") {
    const auto p = pace::of_calls(5 * ms);
    const auto s = p->reserve(start, 512);
    CHECK(s.due == start + 5 * ms);
    p->used(s, start + 9 * ms);
    CHECK(p->reserve(start + 9 * ms, 1).due == start + 14 * ms);
    CHECK(p->reserve(start + 9 * ms, 1).due == start + 19 * ms);
    const auto none = pace::of_calls(0);
    CHECK(none->reserve(start, 1).due == start);
}

TEST_CASE("what is given back is there for the next one, unless somebody is behind it already") {
    const auto p = pace::of_messages(1);
    const auto first = p->reserve(start, 3);
    p->give_back(first);
    CHECK(p->reserve(start, 2).due == start + 2 * second);
    const auto third = p->reserve(start, 1);
    CHECK(p->reserve(start, 1).due == start + 4 * second);
    p->give_back(third);
    CHECK(p->reserve(start, 1).due == start + 5 * second);
}

TEST_CASE("a rate of next to nothing waits for ever, and no time runs over") {
    const auto p = pace::of_messages(1e-300);
    CHECK(p->reserve(start, UINT32_MAX).due == start + 1'000'000'000'000'000'000);
    for (int i = 0; i < 100; ++i) CHECK(p->reserve(start, UINT32_MAX).due > start);
    CHECK(p->reserve(start, 1).due == UINT64_MAX);
}
