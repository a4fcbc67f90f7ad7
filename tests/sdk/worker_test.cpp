// The thread of a blocking endpoint alone, where a test chooses what comes between two of its steps.
#include <mqb/sdk/worker.hpp>

#include <doctest/doctest.h>
#include <future>

namespace detail = mqb::sdk::detail;

namespace {

// A receive whose host asks it to end after it has begun and before its first turn.
struct body {
    static constexpr bool can_interrupt = true;

    void run(detail::job& one) {
        if (cancelled_while_begun == one.number) worker.cancel(*this, one.number);
        worker.begin_turns(one.number);
    }
    void turn(std::chrono::milliseconds) {
        worker.end_turns();
        answers.at(next++).set_value(worker.turn_is_cancelled());
    }
    void idle() {}
    void end() {}
    void interrupt() { ++interrupts; }

    detail::worker& worker;
    std::uint64_t cancelled_while_begun;
    std::array<std::promise<bool>, 2> answers{};
    std::size_t next = 0;
    int interrupts = 0;
};

}  // namespace

TEST_CASE("a cancel that comes while a receive begins ends its first turn, and not the next receive") {
    detail::worker worker;
    body own{worker, 7};
    std::array results{own.answers[0].get_future(), own.answers[1].get_future()};
    worker.post(own, {detail::job_kind::receive, false, nullptr, 7});
    REQUIRE(results[0].wait_for(std::chrono::seconds{10}) == std::future_status::ready);
    CHECK(results[0].get());
    worker.post(own, {detail::job_kind::receive, false, nullptr, 8});
    REQUIRE(results[1].wait_for(std::chrono::seconds{10}) == std::future_status::ready);
    CHECK_FALSE(results[1].get());
    worker.stop(own);
    CHECK(own.interrupts >= 1);
}
