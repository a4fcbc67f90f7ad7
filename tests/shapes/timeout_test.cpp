// Sends that are given up on: nothing is lost, no buffer is used after its end, and no more is in flight than was promised.
#include "core/middlewares/timeout.hpp"
#include "core/call_pool.hpp"
#include "core/middlewares/limiter.hpp"
#include "core/middlewares/retry.hpp"
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <random>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::uint32_t messages = 60;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};

// Every third answer comes 6 ms late, also when the send is cancelled meanwhile.
class dawdling final : public core::publisher {
public:
    dawdling(core::publisher& inner, core::timers& clock) : inner_(inner), clock_(clock) {}
    core::status connect(core::call&) override { return core::status::ok; }
    core::status send(core::send_call& c) override {
        if (c.messages.empty() || ++sends_ % 3 != 0) return inner_.send(c);
        late_send& s = all_.take([this](late_send& made) {
            made.self = made.wait.of = &made;
            made.in = this;
            made.done = [](core::call& self, core::status answer) noexcept { static_cast<late_send&>(self).dawdle(answer); };
            made.wait.deliver = [](core::mail& m) noexcept {
                late_send& over = *static_cast<pause&>(m).of;
                // What it was given has to be there still, and be the same.
                for (std::uint32_t i = 0; i < over.messages.count; ++i) {
                    const core::message given = over.messages.copy(i);
                    REQUIRE(identity_of(given) == over.identities[i]);
                    REQUIRE(std::string{given.payload.text()} == over.payloads[i]);
                }
                core::send_call& upper = *std::exchange(over.upper, nullptr);
                std::swap(upper.texts, over.texts);
                const core::status answer = over.came;
                over.in->all_.give_back(over);
                upper.done(upper, answer);
            };
        });
        s.upper = &c;
        s.is_back = false;
        s.identities.clear();
        s.payloads.clear();
        for (std::uint32_t i = 0; i < c.messages.count; ++i) {
            s.identities.push_back(identity_of(c.messages.copy(i)));
            s.payloads.emplace_back(c.messages.copy(i).payload.text());
        }
        s.messages = c.messages;
        s.outcomes = c.outcomes;
        s.texts.clear();
        const core::status answer = inner_.send(s);
        if (answer != core::status::pending) s.dawdle(answer);
        return core::status::pending;
    }
    void cancel(core::call& c) override {
        late_send* const found = all_.find([&](const late_send& s) { return s.upper == &c; });
        if (!found || !found->is_back) inner_.cancel(found ? static_cast<core::call&>(*found) : c);
    }
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}

private:
    struct late_send;
    struct pause : core::timer {
        late_send* of = nullptr;
    };
    struct late_send : core::send_call {
        void dawdle(core::status with) {
            came = with;
            is_back = true;
            in->clock_.wait_until(in->clock_.now_steady() + 6'000'000, wait);
        }
        late_send* self = nullptr;
        dawdling* in = nullptr;
        core::send_call* upper = nullptr;
        core::status came = core::status::ok;
        bool is_back = false;
        std::vector<identity> identities;
        std::vector<std::string> payloads;
        pause wait;
    };
    core::publisher& inner_;
    core::timers& clock_;
    core::call_pool<late_send> all_;
    std::uint32_t sends_ = 0;
};

class dawdling_factory final : public core::middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side, core::promises inner) const override { return inner; }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> wrap(core::instance_context, std::string,
                                                                               core::consumer&) override {
        co_return core::failure{};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> wrap(core::instance_context context, std::string,
                                                                                core::publisher& inner) override {
        co_return std::unique_ptr<core::publisher>{std::make_unique<dawdling>(inner, context.clock)};
    }
};

std::unique_ptr<rig> make(const source_shape& from, const sink_shape& to, std::uint64_t seed,
                          std::vector<core::middleware_definition> output) {
    auto r = std::make_unique<rig>(from, to, messages, seed);
    add_decorators(r->middlewares);
    r->middlewares.add("limiter", std::make_shared<core::limiter_factory>());
    r->middlewares.add("retry", std::make_shared<core::retry_factory>());
    r->middlewares.add("timeout", std::make_shared<core::timeout_factory>());
    r->middlewares.add("dawdling", std::make_shared<dawdling_factory>());
    r->definition.first_again = std::chrono::milliseconds{1};
    r->definition.output.middlewares = std::move(output);
    return r;
}

const core::middleware_definition slow{"dawdling", "{}", "slow", {}};
const core::middleware_definition limit{"timeout", R"({"timeout_ms": 2})", "timeout", {}};
const core::middleware_definition retry{"retry", R"({"max_attempts": 5, "initial_interval_ms": 1})", "retry", {}};
const core::middleware_definition pace{"limiter", R"({"messages_per_second": 10000})", "limiter", {}};

}  // namespace

TEST_CASE("sends that are answered too late: every message arrives, and all of them are settled") {
    for (answers how : all_answers)
        for (const auto& output : {std::vector{slow, limit}, {slow, limit, retry}, {pace, slow, limit, retry}})
            for (const auto& to : all_sinks(how)) {
                std::vector<std::unique_ptr<rig>> rigs;
                for (auto from : all_sources(how)) {
                    from.expires = 0;
                    rigs.push_back(make(from, to, 3, output));
                }
                run_all(rigs);
                for (auto& r : rigs) {
                    const auto end = r->end();
                    r->check_end();
                    INFO(r->describe());
                    CHECK(end.state == core::route_state::completed);
                    CHECK(r->from.count(item::place::settled) == messages);
                    CHECK(compare(r->from, r->to).missing == 0);
                    CHECK_FALSE(r->told().lines("timeout: a send was answered after it had been given up on").empty());
                }
            }
}

TEST_CASE("a send that is never answered does not hold the route, which says at its end that something did not come back") {
    // Lives on with the route that was left behind.
    auto& r = *new rig{source_named("lease", answers::by_mail), sink_named("pipelined", answers::by_mail), messages, 3};
    static std::vector<rig*> left_behind;
    left_behind.push_back(&r);
    r.middlewares.add("timeout", std::make_shared<core::timeout_factory>());
    r.definition.output.middlewares = {limit};
    r.definition.first_again = std::chrono::milliseconds{1};
    r.definition.shutdown_timeout = std::chrono::milliseconds{100};
    r.sink_script.fail(verb::send, 2, {.never = true});
    run(r);
    INFO(r.describe());
    CHECK(r.from.count(item::place::settled) == messages);
    CHECK(compare(r.from, r.to).missing == 0);
    CHECK(r.end().state == core::route_state::failed);
    r.check_end(true);
}

TEST_CASE("a route with sends that are late is stopped at any moment") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 120'000;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (int k = 0; k < 20; ++k) {
                auto& r =
                    *rigs.emplace_back(make(from, sink_named(k % 2 ? "ordered-retry" : "idempotent", how), ++seed, {slow, limit, retry}));
                r.definition.drain = k % 2 == 0;
                r.stop_at = 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % 60;
            }
            run_all(rigs);
            for (auto& r : rigs) {
                r->check_end();
                r->definition.output.middlewares = {};
                r->check_that_a_drain_completes_it(pool.get_executor());
            }
        }
    MESSAGE("seeds 120001 to " << seed);
    pool.join();
}
