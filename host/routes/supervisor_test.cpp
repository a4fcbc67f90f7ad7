#include "host/routes/supervisor.hpp"

#include "core/structural/null.hpp"
#include "core/structural/static.hpp"

#include <doctest/doctest.h>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <thread>

using namespace mqb;
using host::route_report;
using host::supervisor;

namespace {

class silence final : public core::logger {
public:
    [[nodiscard]] core::log_level lowest() const noexcept override { return core::log_level::error; }
    void write(core::log_level, std::string_view, std::string_view, std::string_view) noexcept override {}
};

// An output that sends this process a signal with its third batch.
class alarm_publisher final : public core::publisher {
public:
    core::status connect(core::call&) override { return core::status::ok; }
    core::status send(core::send_call& c) override {
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(core::send_result::done);
        if (++sends_ == 3) (void)std::raise(SIGTERM);
        return core::status::ok;
    }
    void cancel(core::call&) override {}
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}

private:
    int sends_ = 0;
};

class alarm_factory final : public core::endpoint_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side) const override { return core::promises{}; }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context, std::string) override {
        co_return core::failure{core::status::unsupported, "an output only"};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context, std::string) override {
        co_return std::unique_ptr<core::publisher>{std::make_unique<alarm_publisher>()};
    }
};

config::known_types make_types() {
    config::known_types out;
    out.endpoints.add("static", std::make_shared<core::static_factory>());
    out.endpoints.add("null", std::make_shared<core::null_factory>());
    out.endpoints.add("alarm", std::make_shared<alarm_factory>());
    return out;
}

config::planned_route planned(std::string name, std::string input, std::string output, bool drain) {
    config::planned_route out;
    out.definition.name = std::move(name);
    out.definition.input = {"static", std::move(input), "input", {}, {}};
    out.definition.output = {std::move(output), "{}", "output", {}, {}};
    out.definition.drain = drain;
    return out;
}

std::map<std::string, core::route_snapshot> run(std::vector<config::planned_route> plan, bool& has_left) {
    const config::known_types types = make_types();
    silence log;
    supervisor all{std::move(plan), types, log, [&] { has_left = true; }};
    all.run();
    std::map<std::string, core::route_snapshot> out;
    for (const route_report& r : all.reports()) out.emplace(r.name, r.snapshot);
    return out;
}

}  // namespace

TEST_CASE("routes run to their ends, one that is broken fails alone, one that is disabled is not there") {
    std::vector<config::planned_route> plan{planned("a", R"({"body":"x","count":10000})", "null", false),
                                            planned("b", R"("y")", "null", true), planned("c", R"("z")", "null", true),
                                            planned("d", R"("z")", "null", false)};
    plan[2].broken = "no such library";
    plan[3].is_enabled = false;
    bool has_left = false;
    const auto ended = run(std::move(plan), has_left);
    CHECK_FALSE(has_left);
    REQUIRE(ended.size() == 3);
    CHECK(ended.at("a").state == core::route_state::completed);
    CHECK(ended.at("a").totals.delivered == 10'000);
    CHECK(ended.at("a").totals.is_exact());
    CHECK(ended.at("b").totals.delivered == 512);
    CHECK(ended.at("c").state == core::route_state::failed);
    CHECK(ended.at("c").cause == "no such library");
}

TEST_CASE("a signal stops endless routes and what they had is settled") {
    bool has_left = false;
    const auto ended = run({planned("a", R"("x")", "alarm", false), planned("b", R"("x")", "null", false)}, has_left);
    CHECK_FALSE(has_left);
    for (const auto& [name, snapshot] : ended) {
        CAPTURE(name);
        CHECK(snapshot.state == core::route_state::stopped);
        CHECK(snapshot.totals.is_exact());
        CHECK(snapshot.totals.in_flight == 0);
    }
    CHECK(ended.at("a").totals.delivered >= 3);
}

TEST_CASE("requests name the route that they mean, and one that is not there gets a hint") {
    const config::known_types types = make_types();
    silence log;
    std::vector<config::planned_route> plan{planned("orders", R"("x")", "null", false),
                                            planned("done", R"({"body":"x","count":3})", "null", false)};
    supervisor all{std::move(plan), types, log, [] {}};
    boost::asio::steady_timer timer{all.control()};
    std::string pause_nobody, pause_ended, replay_without_state;
    bool was_paused = false;
    const auto state_of = [&](const char* name) {
        for (const route_report& r : all.all_reports())
            if (r.name == name) return r.snapshot.state;
        return core::route_state::failed;
    };
    std::function<void()> look = [&] {
        const bool waits = state_of("orders") == core::route_state::starting || state_of("done") != core::route_state::completed ||
                           (pause_nobody.empty() ? false : state_of("orders") != core::route_state::paused);
        if (!waits && pause_nobody.empty()) {
            pause_nobody = all.pause("order").error().text;
            pause_ended = all.resume("done").error().text;
            replay_without_state = all.replay("orders", {}, [](const route_report&) {}).error().text;
            CHECK(all.pause("orders").has_value());
        } else if (!waits) {
            was_paused = true;
            CHECK(all.resume("orders").has_value());
            (void)std::raise(SIGTERM);
            return;
        }
        timer.expires_after(std::chrono::milliseconds{1});
        timer.async_wait([&](const boost::system::error_code&) { look(); });
    };
    boost::asio::post(all.control(), look);
    all.run();
    CHECK(was_paused);
    CHECK(pause_nobody == R"(no route "order" runs here (did you mean "orders"?))");
    CHECK(pause_ended == R"(route "done" has ended: completed)");
    CHECK(replay_without_state == "this host keeps no dead letters");
    CHECK(all.reports().size() == 2);
}

TEST_CASE("a route that a status shows as completed has ended for every request, even before the supervisor was told so") {
    const config::known_types types = make_types();
    silence log;
    std::vector<config::planned_route> plan{planned("done", R"({"body":"x","count":3})", "null", false)};
    supervisor all{std::move(plan), types, log, [] {}};
    std::string pause, resume;
    // It holds the thread that would be told, so that it has not been.
    boost::asio::post(all.control(), [&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        while (all.reports().front().snapshot.state != core::route_state::completed && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
        pause = all.pause("done").error().text;
        resume = all.resume("done").error().text;
    });
    all.run();
    CHECK(pause == R"(route "done" has ended: completed)");
    CHECK(resume == R"(route "done" has ended: completed)");
}
