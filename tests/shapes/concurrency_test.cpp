// Several batches in work at once, each by a worker with middlewares of its own.
#include "core/middlewares/builtin.hpp"
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/graves.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <thread>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::uint32_t messages = 200;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};

std::unique_ptr<rig> make(const source_shape& from, const sink_shape& to, std::uint64_t seed, std::uint32_t concurrency,
                          bool has_middleware) {
    sink_shape wide = to;
    wide.send_window = std::max(to.send_window, 2 * concurrency);  // a flush of each worker besides
    auto r = std::make_unique<rig>(from, wide, messages, seed, 5);
    core::add_builtin(r->middlewares);
    add_decorators(r->middlewares);
    r->definition.concurrency = concurrency;
    r->definition.first_again = std::chrono::milliseconds{1};
    if (has_middleware)
        r->definition.output.middlewares = {
            {"retry", R"({"max_attempts":3,"initial_interval_ms":1,"jitter":0})", "output.middlewares[0]", {}}};
    return r;
}

std::uint64_t partition_of(const core::message& m) { return identity_of(m).first; }

}  // namespace

TEST_CASE("with concurrency every message arrives and is settled once, on every shape, with and without middlewares") {
    for (answers how : all_answers)
        for (std::uint32_t concurrency : {2u, 8u})
            for (bool has_middleware : {false, true}) {
                std::vector<std::unique_ptr<rig>> rigs;
                for (auto from : all_sources(how)) {
                    from.expires = 0;
                    for (const auto& to : all_sinks(how)) rigs.push_back(make(from, to, 3, concurrency, has_middleware));
                }
                run_all(rigs);
                for (auto& r : rigs) {
                    const auto end = r->end();
                    r->check_end();
                    INFO(r->describe());
                    CHECK(end.state == core::route_state::completed);
                    CHECK(r->from.count(item::place::settled) == messages);
                    CHECK(compare(r->from, r->to).missing == 0);
                    CHECK(compare(r->from, r->to).repeated == 0);
                }
            }
}

TEST_CASE("an ordered publisher gets the batches of all workers in order") {
    for (answers how : all_answers)
        for (const char* to : {"ordered", "ordered-retry"}) {
            auto r = make(source_named("prefix", how), sink_named(to, how), 3, 8, true);
            run(*r);
            INFO(r->describe());
            CHECK(r->end().state == core::route_state::completed);
            r->check_end();
            CHECK(compare(r->from, r->to).out_of_order == 0);
        }
}

TEST_CASE("order_by: the messages of one key stay in order though the workers run side by side") {
    for (answers how : all_answers)
        for (bool has_middleware : {false, true})
            for (const char* to : {"pipelined", "ordered-retry"}) {
                auto r = make(source_named("prefix", how), sink_named(to, how), 3, 8, has_middleware);
                r->definition.order_by = partition_of;
                run(*r);
                INFO(r->describe());
                const auto end = r->end();
                r->check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(r->from.count(item::place::settled) == messages);
                CHECK(compare(r->from, r->to).out_of_order == 0);
            }
}

TEST_CASE(
    "require ordered, with a publisher that does not keep the order of what is sent again: one message at a time, failed ones in their "
    "place") {
    for (answers how : all_answers)
        for (std::uint32_t nth = 1; nth < 60; nth += 7) {
            auto r = make(source_named("prefix", how), sink_named("ordered", how), nth, 1, false);
            r->definition.keep_order = true;
            for (std::uint32_t k = 0; k < 3; ++k)
                r->sink_script.fail(verb::send, nth + k,
                                    {.result = static_cast<std::int32_t>(core::send_result::again), .first = 0, .count = 1});
            run(*r);
            INFO(r->describe());
            const auto end = r->end();
            const std::size_t sends = r->log().starts_of(verb::send);
            r->check_end();
            CHECK(end.state == core::route_state::completed);
            CHECK(compare(r->from, r->to).out_of_order == 0);
            CHECK(compare(r->from, r->to).missing == 0);
            CHECK(sends >= messages + 3);
        }
}

TEST_CASE("a route with workers that is stopped at any moment loses nothing") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 40'000;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (int k = 0; k < 20; ++k) {
                auto& r = *rigs.emplace_back(make(from, sink_named("idempotent", how), ++seed, 4, k % 2 == 0));
                r.definition.drain = k % 3 == 0;
                r.stop_at = 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % 80;
            }
            run_all(rigs);
            for (auto& r : rigs) {
                r->check_end();
                r->check_that_a_drain_completes_it(pool.get_executor());
            }
        }
    pool.join();
}

namespace {

// An output that never connects.
class down_publisher final : public core::publisher {
public:
    core::status connect(core::call&) override { return core::status::retry; }
    core::status send(core::send_call&) override { return core::status::retry; }
    void cancel(core::call&) override {}
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}
};

class down_factory final : public core::endpoint_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side) const override { return core::promises{}; }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context, std::string) override {
        co_return core::failure{core::status::unsupported, "is an output"};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context, std::string) override {
        co_return std::unique_ptr<core::publisher>{std::make_unique<down_publisher>()};
    }
};

}  // namespace

TEST_CASE("a nested output that cannot connect: the route says when the next try is, also where workers have it") {
    for (std::uint32_t concurrency : {1u, 4u}) {
        auto r = make(source_named("prefix", answers::by_mail), sink_named("pipelined", answers::by_mail), 3, concurrency, true);
        r->endpoints.add("down", std::make_shared<down_factory>());
        core::middleware_definition dlq{"dlq", "{}", "output.middlewares[1]", {}};
        dlq.nested.push_back({"/endpoint", {"down", "{}", "output.middlewares[1].dlq.endpoint", {}, {}}});
        r->definition.output.middlewares.push_back(dlq);
        r->definition.reconnect_interval = std::chrono::minutes{1};
        r->definition.shutdown_timeout = std::chrono::milliseconds{2000};
        boost::asio::thread_pool pool{2};
        const auto begun = std::chrono::system_clock::now();
        r->start(pool.get_executor());
        core::route_snapshot now;
        while (!now.next_try) {
            std::this_thread::yield();
            now = r->route().snapshot();
        }
        CHECK(now.state == core::route_state::reconnecting);
        CHECK(now.cause == "output.middlewares[1].dlq.endpoint: cannot connect: retry");
        CHECK(*now.next_try > begun);
        CHECK(*now.next_try < std::chrono::system_clock::now() + std::chrono::minutes{2});
        r->stop();
        r->wait();
        pool.join();
        INFO(r->describe());
        CHECK(r->end().state == core::route_state::stopped);
        r->check_end();
    }
}

TEST_CASE("dlq in the workers: what is refused goes to its endpoint and counts as dead-lettered") {
    for (answers how : all_answers)
        for (std::uint32_t concurrency : {1u, 8u}) {
            graves buried;
            auto r = make(source_named("prefix", how), sink_named("pipelined", how), 3, concurrency, true);
            r->endpoints.add("grave", grave_endpoint(buried));
            core::middleware_definition dlq{"dlq", "{}", "output.middlewares[1]", {}};
            dlq.nested.push_back({"/endpoint", {"grave", "{}", "output.middlewares[1].dlq.endpoint", {}, {}}});
            r->definition.output.middlewares.push_back(dlq);
            r->sink_script.always(verb::send, {.result = static_cast<std::int32_t>(core::send_result::refused), .first = 0, .count = 1});
            run(*r);
            INFO(r->describe());
            const auto end = r->end();
            r->check_end();
            CHECK(end.state == core::route_state::completed);
            CHECK(end.totals.dead_lettered == buried.all().size());
            CHECK(end.totals.dead_lettered > 0);
            CHECK(end.totals.delivered + end.totals.dead_lettered == messages);
        }
}
