#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <sstream>

namespace mqb::shapes {

class fake_factory final : public core::endpoint_factory {
public:
    explicit fake_factory(rig& of) : rig_(of) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::consumer_side | core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side which) const override {
        core::promises out;
        if (which == core::publisher_side) {
            out.flags = rig_.of_sink.flags;
            return out;
        }
        const source_shape& s = rig_.of_source;
        out.flags = core::promises::acknowledges | core::promises::stable_identity;
        if (rig_.of_source.emptied_at_stop) out.flags |= core::promises::emptied_at_stop;
        out.unit = s.unit;
        out.dispositions = s.dispositions;
        out.max_unsettled_messages = s.max_unsettled_messages;
        out.max_unsettled_batches = s.max_unsettled_batches;
        return out;
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context context,
                                                                                        std::string) override {
        auto made = std::make_unique<source>(around(context, rig_.source_script), rig_.of_source, rig_.from, rig_.to);
        rig_.input = made.get();
        co_return std::unique_ptr<core::consumer>{std::move(made)};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context context,
                                                                                          std::string) override {
        auto made = std::make_unique<sink>(around(context, rig_.sink_script), rig_.of_sink, rig_.to);
        rig_.output = made.get();
        co_return std::unique_ptr<core::publisher>{std::move(made)};
    }

private:
    surroundings around(core::instance_context& context, failure_script& script) {
        return {context.box, *rig_.log_, script, rig_.elsewhere_, rig_.seed, {}};
    }
    rig& rig_;
};

rig::rig(source_shape source, sink_shape sink, std::uint32_t messages, std::uint64_t s, std::uint32_t partitions)
    : from(partitions, messages), of_source(std::move(source)), of_sink(std::move(sink)), seed(s), elsewhere_(s) {
    endpoints.add("fake", std::make_shared<fake_factory>(*this));
    definition.name = "rig";
    definition.input = {"fake", "{}", "input", {}, {}};
    definition.output = {"fake", "{}", "output", {}, {}};
    definition.drain = true;
    definition.batch_size = 6;
    definition.send_window = of_sink.send_window;
    definition.empty_batch_delay = std::chrono::milliseconds{1};
    definition.reconnect_interval = std::chrono::milliseconds{1};
}

void rig::start(boost::asio::any_io_executor executor) {
    log_ = std::make_unique<journal>();
    is_ended_ = false;
    route_ = std::make_unique<core::route>(definition,
                                           core::route_environment{endpoints, middlewares, logger_, std::move(executor), dead_letters});
    log_->on_event([this](std::size_t n) {
        if (n == stop_at) route_->stop();
        if (on_event) on_event(*this, n);
    });
    route_->start([this] {
        end_ = route_->snapshot();
        std::lock_guard lock{mutex_};
        is_ended_ = true;
        ended_.notify_all();
    });
}

void rig::wait() {
    std::unique_lock lock{mutex_};
    // What answers for the endpoints may still be inside the executor that the route was woken through, where nothing was closed.
    if (ended_.wait_for(lock, std::chrono::seconds{30}, [this] { return is_ended_; })) return elsewhere_.wait_until_idle();
    end_ = route_->snapshot();
    std::ostringstream last;
    const auto& events = log_->events();
    for (std::size_t i = events.size() > 20 ? events.size() - 20 : 0; i < events.size(); ++i)
        last << ' ' << static_cast<int>(events[i].what) << (events[i].is_answer ? "=" : "?") << static_cast<int>(events[i].answer);
    MESSAGE("hangs: " << describe() << ", " << from.count(item::place::out) << " out, last events" << last.str());
    std::abort();
}

std::string rig::describe() const {
    std::ostringstream out;
    const core::ledger_totals& t = end_.totals;
    out << of_source.name << " -> " << of_sink.name << ", answers " << static_cast<int>(of_source.how) << ", seed " << seed << ", stop at "
        << stop_at << ": " << core::to_text(end_.state) << " \"" << end_.cause << "\", received " << t.received << " delivered "
        << t.delivered << " replied " << t.replied << " filtered " << t.filtered << " rejected " << t.rejected << " nacked " << t.nacked
        << " returned " << t.returned << " in flight " << t.in_flight << (end_.abandoned ? ", abandoned" : "");
    return out.str();
}

void rig::check_end(bool is_left_behind) {
    const std::string who = describe();
    INFO(who);
    for (const std::string& rule : log_->violations()) CHECK_MESSAGE(false, "broken rule: " << rule);
    CHECK(end_.totals.is_exact());
    CHECK(core::is_final(end_.state));
    CHECK(end_.abandoned == is_left_behind);
    if (is_left_behind) return;
    CHECK(end_.totals.in_flight == 0);
    CHECK(end_.in_flight_bytes == 0);
    CHECK(from.count(item::place::out) == 0);
    CHECK(log_->starts_of(verb::close) == 2);
    route_.reset();
    CHECK(from.owners == 0);
    input = nullptr;
    output = nullptr;
    for (const item& i : from.items) {
        const bool is_settled = i.at == item::place::settled;
        CHECK(i.times_settled == (is_settled ? 1u : 0u));
        if (is_settled && i.how == core::disposition::ack && i.reason.empty()) CHECK(to.has({i.partition, i.number}));
    }
}

void rig::check_that_a_drain_completes_it(boost::asio::any_io_executor executor) {
    source_script.clear();
    sink_script.clear();
    stop_at = 0;
    on_event = nullptr;
    definition.drain = true;
    start(std::move(executor));
    wait();
    check_end();
    INFO(describe());
    CHECK(end_.state == core::route_state::completed);
    CHECK(from.count(item::place::settled) == from.items.size());
    const verdict v = compare(from, to);
    CHECK(v.missing == 0);
    if (of_sink.has(core::promises::idempotent)) CHECK(v.repeated == 0);
}

void run_all(std::vector<std::unique_ptr<rig>>& rigs) {
    boost::asio::thread_pool pool{2};
    for (auto& r : rigs) r->start(pool.get_executor());
    for (auto& r : rigs) r->wait();
    pool.join();
}

void run(rig& one) {
    boost::asio::thread_pool pool{2};
    one.start(pool.get_executor());
    one.wait();
    pool.join();
}

}  // namespace mqb::shapes
