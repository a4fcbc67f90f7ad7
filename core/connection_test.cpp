#include "core/connection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace mqb::core;

TEST_CASE("pauses double from the first to the longest, each spread by at most a fifth, and begin anew after a reset") {
    backoff pauses{100, 1000};
    for (int round = 0; round < 3; ++round) {
        for (double expected : {100.0, 200.0, 400.0, 800.0, 1000.0, 1000.0}) {
            const auto pause = static_cast<double>(pauses.next());
            CHECK(pause >= expected * 0.8 - 1);
            CHECK(pause <= expected * 1.2 + 1);
        }
        pauses.reset();
    }
    backoff short_ones{100, 10};
    CHECK(short_ones.next() <= 12);
}

namespace {

struct fake_owner final : connection::owner {
    status start_connect(call& c) override {
        ++starts;
        pending = &c;
        return answer;
    }
    void cancel_connect(call&) override { ++cancels; }
    void on_connected() override { events.emplace_back("connected"); }
    void on_not_connected(bool fatal, std::string_view cause) override {
        events.push_back((fatal ? "fatal: " : "not: ") + std::string{cause});
    }
    status answer = status::ok;
    int starts = 0, cancels = 0;
    call* pending = nullptr;
    std::vector<std::string> events;
};

struct setting {
    mailbox box;
    manual_timers clock{box};
    fake_owner owner;
    connection link{owner, clock, 1'000'000'000};
    // The time until the next try.
    std::uint64_t next_try() {
        const std::uint64_t pause = clock.next() - clock.now_steady();
        clock.advance_to(clock.next());
        box.deliver_all();
        return pause;
    }
};

}  // namespace

TEST_CASE("a connect that fails is tried again after growing pauses, until it holds") {
    setting s;
    s.owner.answer = status::retry;
    s.link.begin();
    CHECK(s.owner.events == std::vector<std::string>{"not: cannot connect: retry"});
    std::uint64_t before = 0;
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t pause = s.next_try();
        CHECK(pause > before);
        before = pause;
    }
    CHECK(s.owner.starts == 4);
    s.owner.answer = status::pending;
    s.next_try();
    CHECK_FALSE(s.link.is_at_rest());
    s.owner.pending->done(*s.owner.pending, status::ok);
    CHECK(s.link.is_up());
    CHECK(s.owner.events.back() == "connected");
    CHECK(s.link.is_at_rest());
}

TEST_CASE("a connection that is lost at once is tried again with growing pauses; one that has worked begins anew") {
    setting s;
    s.link.begin();
    CHECK(s.link.is_up());
    std::uint64_t before = 0;
    for (int i = 0; i < 3; ++i) {
        s.link.lost();
        CHECK(s.link.is_down());
        s.link.begin_later();
        CHECK_FALSE(s.link.is_up());
        const std::uint64_t pause = s.next_try();
        CHECK(s.link.is_up());
        CHECK(pause > before);
        before = pause;
    }
    s.link.has_worked();
    s.link.lost();
    s.link.begin_later();
    CHECK(s.next_try() < before);
}

TEST_CASE("a wrong configuration is fatal, and not tried again") {
    setting s;
    s.owner.answer = status::bad_config;
    s.link.begin();
    CHECK(s.owner.events == std::vector<std::string>{"fatal: cannot connect: bad configuration"});
    CHECK(s.clock.next() == UINT64_MAX);
    CHECK_FALSE(s.link.is_down());
}

TEST_CASE("stop cancels what is pending and tries no more") {
    setting s;
    s.owner.answer = status::pending;
    s.link.begin();
    s.link.stop();
    CHECK(s.owner.cancels == 1);
    CHECK_FALSE(s.link.is_at_rest());
    s.owner.pending->done(*s.owner.pending, status::cancelled);
    CHECK(s.link.is_at_rest());
    CHECK(s.owner.events.empty());
    s.link.begin();
    CHECK(s.owner.starts == 1);

    setting waiting;
    waiting.owner.answer = status::retry;
    waiting.link.begin();
    waiting.link.stop();
    CHECK_FALSE(waiting.link.is_at_rest());
    waiting.box.deliver_all();
    CHECK(waiting.link.is_at_rest());
    CHECK(waiting.owner.starts == 1);
}
