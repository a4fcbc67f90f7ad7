// Random failures of every class at every call, with retry and dlq in between: nothing is lost. MQB_STORM sets the messages of each
// shape; the short form runs in every build.
#include "core/middlewares/builtin.hpp"
#include "tests/shapes/graves.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

using namespace mqb;
using namespace mqb::shapes;

namespace {

std::uint32_t messages() {
    const char* given = std::getenv("MQB_STORM");
    return given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : 4000;
}

std::unique_ptr<rig> make(source_shape from, sink_shape to, std::uint64_t seed, std::uint32_t concurrency, graves& letters, graves& dlq) {
    from.batch_at_most = 64;
    to.send_window = std::max(to.send_window, 2 * concurrency);
    auto r = std::make_unique<rig>(std::move(from), std::move(to), messages(), seed, 4);
    core::add_builtin(r->middlewares);
    r->endpoints.add("grave", grave_endpoint(dlq));
    r->dead_letters = &letters;
    core::route_definition& d = r->definition;
    d.concurrency = concurrency;
    d.batch_size = 64;
    d.first_again = std::chrono::milliseconds{1};
    d.longest_again = std::chrono::milliseconds{10};
    d.dead_letters.stop_after = 0;
    core::middleware_definition retry{
        "retry", R"({"max_attempts":2,"initial_interval_ms":1,"max_interval_ms":2})", "output.middlewares[0]", {}};
    core::middleware_definition buries{"dlq", "{}", "output.middlewares[1]", {}};
    buries.nested.push_back({"/endpoint", {"grave", "{}", "output.middlewares[1].dlq.endpoint", {}, {}}});
    d.output.middlewares = {retry, buries};
    r->source_script.sometimes(0.02, seed);
    r->sink_script.sometimes(0.05, seed + 1);
    return r;
}

}  // namespace

TEST_CASE("under random failures of every class, with concurrency 1 and 8, every message ends in the output or in a dead letter") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 5;
    for (std::uint32_t concurrency : {1u, 8u})
        for (const auto& from : all_sources(answers::mixed)) {
            std::vector<std::unique_ptr<rig>> rigs;
            std::vector<std::unique_ptr<graves>> letters;
            for (const auto& to : all_sinks(answers::mixed)) {
                for (int k = 0; k < 2; ++k) letters.push_back(std::make_unique<graves>(++seed, 0.05));
                rigs.push_back(make(from, to, ++seed, concurrency, *letters[letters.size() - 2], *letters.back()));
            }
            run_all(rigs);
            for (std::size_t n = 0; n < rigs.size(); ++n) {
                rig& r = *rigs[n];
                INFO(r.describe());
                r.check_end();
                // A lease that ran out and a dead letter that could not be written end a drain early; the next one goes on.
                for (int again = 0; again < 200 && r.from.count(item::place::settled) != messages(); ++again) {
                    r.start(pool.get_executor());
                    r.wait();
                    r.check_end();
                }
                CHECK(r.from.count(item::place::settled) == messages());
                std::uint64_t missing = 0;
                for (const item& i : r.from.items) {
                    const identity id{i.partition, i.number};
                    missing += !r.to.has(id) && !letters[2 * n]->has(id) && !letters[2 * n + 1]->has(id);
                }
                CHECK(missing == 0);
                if (r.of_sink.has(core::promises::idempotent)) CHECK(compare(r.from, r.to).repeated == 0);
            }
        }
    pool.join();
}
