// Outputs made of outputs: a fanout and a switch over two fake sinks that fail, lose their connections and are stopped at any moment.
#include "core/middlewares/stage_factory.hpp"
#include "core/structural/fanout.hpp"
#include "core/structural/switch.hpp"
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <array>
#include <map>

using namespace mqb;
using namespace mqb::shapes;
using core::send_result;
using core::status;

namespace {

constexpr std::uint32_t messages = 30;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};

// The sink beside the one of the rig, with a script of its own.
class second_sink final : public core::endpoint_factory {
public:
    second_sink(sink_shape shape, std::uint64_t seed, sink_store* shared)
        : elsewhere(seed), shape_(std::move(shape)), seed_(seed), shared_(shared) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side) const override {
        core::promises out;
        out.flags = shape_.flags;
        return out;
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context, std::string) override {
        co_return core::failure{};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context context,
                                                                                          std::string) override {
        surroundings around{context.box, log, script, elsewhere, seed_, {}};
        auto made = std::make_unique<sink>(std::move(around), shape_, shared_ ? *shared_ : own);
        now = made.get();
        co_return std::unique_ptr<core::publisher>{std::move(made)};
    }
    journal log;
    failure_script script;
    other_thread elsewhere;
    sink_store own;
    sink* now = nullptr;

private:
    sink_shape shape_;
    std::uint64_t seed_;
    sink_store* shared_;
};

// Says in the metadata which of the two a message is for.
class marking final : public core::stage_factory {
public:
    marking() : stage_factory("marking") {}
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }

private:
    struct mark final : core::message_stage {
        core::staged apply(core::message& m, std::vector<core::counted_block>& made, std::string&) override {
            const std::array edit{core::text_edit{"for", identity_of(m).second % 2 == 0 ? "first" : "second"}};
            core::counted_block block = core::edited(m.metadata, edit);
            m.metadata = block.get();
            made.push_back(std::move(block));
            return core::staged::changed;
        }
    };
    [[nodiscard]] core::result<std::unique_ptr<core::message_stage>> make(std::string_view, core::side) const override {
        return std::unique_ptr<core::message_stage>{std::make_unique<mark>()};
    }
};

struct branching {
    std::unique_ptr<rig> r;
    std::shared_ptr<second_sink> second;
};

core::endpoint_definition branch_at(const char* type, const char* path) { return {type, "{}", path, {}, {}}; }

branching make_fanout(const source_shape& from, const sink_shape& to, std::uint64_t seed) {
    branching out{std::make_unique<rig>(from, to, messages, seed), std::make_shared<second_sink>(to, seed, nullptr)};
    out.r->endpoints.add("second", out.second);
    out.r->endpoints.add("fanout", std::make_shared<core::fanout_factory>());
    out.r->definition.output = {"fanout",
                                "[null,null]",
                                "output",
                                {},
                                {{"/0", branch_at("fake", "output.fanout[0]")}, {"/1", branch_at("second", "output.fanout[1]")}}};
    return out;
}

// Both write to one store, so that the rig sees whether anything is missing.
branching make_switch(const source_shape& from, const sink_shape& to, std::uint64_t seed) {
    branching out{std::make_unique<rig>(from, to, messages, seed), nullptr};
    out.second = std::make_shared<second_sink>(to, seed, &out.r->to);
    out.r->endpoints.add("second", out.second);
    out.r->endpoints.add("switch", std::make_shared<core::switch_factory>());
    out.r->middlewares.add("marking", std::make_shared<marking>());
    out.r->definition.output = {
        "switch",
        R"({"metadata_key":"for","cases":{"first":null},"default":null})",
        "output",
        {{"marking", "{}", "output.middlewares[0]", {}}},
        {{"/cases/first", branch_at("fake", "output.switch.cases.first")}, {"/default", branch_at("second", "output.switch.default")}}};
    return out;
}

void run_all(std::vector<branching>& all) {
    boost::asio::thread_pool pool{2};
    for (branching& b : all) b.r->start(pool.get_executor());
    for (branching& b : all) {
        b.r->wait();
        b.second->elsewhere.wait_until_idle();
    }
    pool.join();
}

void check_rules(branching& b) {
    for (const std::string& rule : b.second->log.violations()) CHECK_MESSAGE(false, "broken rule: " << rule);
    b.r->check_end();
}

fault of_two(send_result what) { return {.result = static_cast<std::int32_t>(what), .first = 1, .count = 2}; }

}  // namespace

TEST_CASE("fanout: what one branch fails at comes again to that one alone, whichever send fails and however it is answered; C105") {
    for (answers how : all_answers)
        for (const auto& to : all_sinks(how))
            for (const send_result wrong : {send_result::again, send_result::unsent, send_result::uncertain}) {
                std::vector<branching> all;
                for (std::uint32_t n = 1; n <= 5; ++n)
                    for (const auto& from : all_sources(how)) {
                        if (from.expires != 0) continue;
                        branching& b = all.emplace_back(make_fanout(from, to, n));
                        b.r->definition.concurrency = n % 2 ? 1 : 3;
                        b.second->script.fail(verb::send, n, of_two(wrong));
                        b.second->script.fail(verb::send, n + 1, of_two(wrong));
                    }
                run_all(all);
                for (branching& b : all) {
                    const auto end = b.r->end();
                    check_rules(b);
                    INFO(b.r->describe());
                    CHECK(end.state == core::route_state::completed);
                    CHECK(b.r->from.count(item::place::settled) == messages);
                    const verdict first = compare(b.r->from, b.r->to), second = compare(b.r->from, b.second->own);
                    CHECK(first.missing + second.missing == 0);
                    CHECK(first.repeated == 0);
                    if (wrong != send_result::uncertain) CHECK(second.repeated == 0);
                }
            }
}

TEST_CASE("fanout and switch: each branch gets its messages in order, also what is sent again") {
    for (const auto make : {make_fanout, make_switch})
        for (answers how : all_answers) {
            std::vector<branching> all;
            for (std::uint32_t n = 1; n <= 12; ++n)
                for (const bool asked : {true, false}) {
                    branching& b =
                        all.emplace_back(make(source_named("prefix", how), sink_named(asked ? "ordered" : "ordered-retry", how), n));
                    b.r->definition.keep_order = asked;
                    b.r->definition.batch_size = 4;
                    b.second->script.fail(verb::send, n, of_two(send_result::again));
                    b.r->sink_script.fail(verb::send, n + 1, of_two(send_result::again));
                }
            run_all(all);
            for (branching& b : all) {
                check_rules(b);
                INFO(b.r->describe());
                // A switch parts a lane: each of its two ends has an order of its own.
                const bool parts = make == make_switch;
                std::map<std::uint64_t, std::uint32_t> last;
                for (const identity& id : b.r->to.log) {
                    std::uint32_t& before = last[std::uint64_t{id.first} * 2 + (parts ? id.second % 2 : 0)];
                    CHECK(before <= id.second);
                    before = id.second;
                }
                const verdict first = compare(b.r->from, b.r->to);
                CHECK(first.missing + first.repeated == 0);
                if (parts) continue;
                const verdict second = compare(b.r->from, b.second->own);
                CHECK(second.missing + second.repeated + second.out_of_order == 0);
            }
        }
}

TEST_CASE("fanout and switch: a branch that loses its connection at any moment is connected again while the other goes on") {
    for (const auto make : {make_fanout, make_switch})
        for (answers how : all_answers) {
            std::vector<branching> all;
            for (std::size_t n = 1; n <= 40; ++n) {
                branching& b = all.emplace_back(make(source_named("prefix", how), sink_named("idempotent", how), n));
                b.r->on_event = [n, second = b.second.get()](rig&, std::size_t now) {
                    if ((now == n || now == n + 3) && second->now) second->now->drop_connection();
                };
            }
            run_all(all);
            for (branching& b : all) {
                const auto end = b.r->end();
                check_rules(b);
                INFO(b.r->describe());
                CHECK(end.state == core::route_state::completed);
                CHECK(b.r->from.count(item::place::settled) == messages);
                if (make == make_fanout) CHECK(compare(b.r->from, b.second->own).missing == 0);
                CHECK(b.r->log().starts_of(verb::connect) >= 2);
            }
        }
}

TEST_CASE("fanout and switch: a route that is stopped at any moment, in the midst of failures, loses nothing") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 90'000;
    for (const auto make : {make_fanout, make_switch})
        for (answers how : all_answers)
            for (const auto& from : all_sources(how)) {
                std::vector<branching> all;
                for (int k = 0; k < 20; ++k) {
                    branching& b = all.emplace_back(make(from, sink_named("idempotent", how), ++seed));
                    add_decorators(b.r->middlewares);
                    b.r->definition.output.middlewares.push_back({"holding-back", "{}", "output.middlewares[9]", {}});
                    b.r->definition.drain = k % 2 == 0;
                    b.r->stop_at = 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % 60;
                    b.second->script.fail(verb::send, 1 + static_cast<std::uint32_t>(k) % 5, of_two(send_result::again));
                    b.second->script.fail(verb::flush, 1, {.status = status::retry});
                }
                run_all(all);
                for (branching& b : all) {
                    check_rules(b);
                    b.second->script.clear();
                    b.r->check_that_a_drain_completes_it(pool.get_executor());
                    b.second->elsewhere.wait_until_idle();
                    if (make == make_fanout) CHECK(compare(b.r->from, b.second->own).missing == 0);
                }
            }
    MESSAGE("seeds 90001 to " << seed);
    pool.join();
}

TEST_CASE("fanout and switch: an outage of one branch at the end is no failure of the route, which has done its work") {
    for (const auto make : {make_fanout, make_switch})
        for (answers how : all_answers) {
            std::vector<branching> all;
            branching& b = all.emplace_back(make(source_named("prefix", how), sink_named("ordered", how), 3));
            b.r->definition.shutdown_timeout = std::chrono::milliseconds{200};
            for (std::uint32_t n = 2; n <= 1000; ++n) b.second->script.fail(verb::connect, n, {.status = status::retry});
            b.r->on_event = [second = b.second.get(), dropped = false](rig& self, std::size_t) mutable {
                if (dropped || !second->now || self.from.count(item::place::settled) != messages) return;
                dropped = true;
                second->now->drop_connection();
            };
            run_all(all);
            const auto end = b.r->end();
            check_rules(b);
            INFO(b.r->describe());
            CHECK(end.state == core::route_state::completed);
            CHECK(end.totals.delivered == messages);
            CHECK(b.r->told().lines("could not finish what it holds").size() == 1);
        }
}

TEST_CASE("fanout: one answer for each request, also where it was sent again") {
    for (answers how : all_answers) {
        std::vector<branching> all;
        for (const char* name : {"replying", "replying-prefix"})
            for (std::uint32_t n = 1; n <= 4; ++n) {
                branching& b = all.emplace_back(make_fanout(source_named(name, how), sink_named("responding", how), n));
                b.second->script.fail(verb::send, n, of_two(send_result::again));
                b.r->sink_script.fail(verb::send, n + 1, of_two(send_result::unsent));
            }
        run_all(all);
        for (branching& b : all) {
            const auto end = b.r->end();
            check_rules(b);
            INFO(b.r->describe());
            CHECK(end.totals.replied == messages);
            for (const item& i : b.r->from.items)
                CHECK(i.replies == std::vector{"re:" + std::to_string(i.partition) + '/' + std::to_string(i.number)});
            CHECK(compare(b.r->from, b.r->to).repeated == 0);
        }
    }
}
