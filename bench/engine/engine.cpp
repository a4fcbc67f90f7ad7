// engine: what the route engine costs for each message. An inline source that recycles its batches, a prefix ledger, an output that
// takes everything; all answers are DONE. Prints CPU nanoseconds of the whole process per message; batch sizes alternate.
#include "core/route.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace mqb::core;
namespace asio = boost::asio;

double cpu_seconds() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

// One owner for all batches, as a source with one slab has it.
struct slab : buffer_owner {
    std::uint8_t payload[200]{};
    std::uint8_t metadata[64]{};
    slab() : buffer_owner{sizeof(buffer_owner), 0, sizeof(slab), [](buffer_owner*) {}, [](buffer_owner*) {}} {}
};

class inline_source final : public consumer {
public:
    explicit inline_source(std::uint64_t total) : left_(total) {}
    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, c.max_messages));
        if (n == 0) return status::end;
        left_ -= n;
        std::vector<message>* batch;
        if (spare_.empty()) {
            batch = new std::vector<message>;
        } else {
            batch = spare_.back();
            spare_.pop_back();
        }
        batch->resize(n);
        for (auto& m : *batch) {
            m.payload = {slab_.payload, sizeof slab_.payload, &slab_};
            m.metadata = {slab_.metadata, sizeof slab_.metadata, &slab_};
        }
        c.messages = message_list{std::span<const message>{*batch}};
        c.batch = batch;
        return status::ok;
    }
    status settle(settle_call& c) override {
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(settle_result::ok);
        return status::ok;
    }
    void free_batch(void* batch) override { spare_.push_back(static_cast<std::vector<message>*>(batch)); }
    void cancel(call&) override {}
    status close(call&) override {
        for (auto* b : spare_) delete b;
        return status::ok;
    }
    void listen(event_sink*) override {}

private:
    slab slab_;
    std::uint64_t left_;
    std::vector<std::vector<message>*> spare_;
};

class take_all final : public publisher {
public:
    status connect(call&) override { return status::ok; }
    status send(send_call& c) override {
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(send_result::done);
        return status::ok;
    }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
};

class inline_factory final : public endpoint_factory {
public:
    std::uint64_t total = 0;
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] result<promises> promise(std::string_view, side which) const override {
        promises p;
        if (which == consumer_side) {
            p.flags = promises::acknowledges | promises::finite;
            p.unit = settle_unit::prefix;
            p.dispositions = bit(disposition::ack);
        } else {
            p.flags = promises::ordered;
        }
        return p;
    }
    asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(instance_context, std::string) override {
        co_return std::unique_ptr<consumer>{std::make_unique<inline_source>(total)};
    }
    asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(instance_context, std::string) override {
        co_return std::unique_ptr<publisher>{std::make_unique<take_all>()};
    }
};

class silent final : public logger {
public:
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::error; }
    void write(log_level, std::string_view, std::string_view, std::string_view text) noexcept override {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    }
};

double run(std::uint32_t batch, std::uint64_t total) {
    CustomEndpointFactory endpoints;
    CustomMiddlewareFactory middlewares;
    auto factory = std::make_shared<inline_factory>();
    factory->total = total;
    endpoints.add("inline", factory);
    silent log;
    asio::io_context io{1};
    route_definition d;
    d.name = "bench";
    d.input = {"inline", "{}", "input", {}, {}};
    d.output = {"inline", "{}", "output", {}, {}};
    d.batch_size = batch;
    d.drain = true;
    route r{d, {endpoints, middlewares, log, io.get_executor()}};
    const double before = cpu_seconds();
    r.start([] {});
    io.run();
    const double used = cpu_seconds() - before;
    const auto s = r.snapshot();
    if (s.state != route_state::completed || s.totals.delivered != total || !s.totals.is_exact()) {
        std::fprintf(stderr, "the route did not deliver what it received: %s\n", s.cause.c_str());
        std::exit(1);
    }
    return used / static_cast<double>(total) * 1e9;
}

}  // namespace

int main() {
    std::vector<double> large, one;
    run(512, 1'000'000);
    for (int i = 0; i < 7; ++i) {
        large.push_back(run(512, 20'000'000));
        one.push_back(run(1, 2'000'000));
    }
    std::sort(large.begin(), large.end());
    std::sort(one.begin(), one.end());
    std::printf("engine, inline source to null, prefix ledger: CPU ns per message, median [min-max] of 7\n");
    std::printf("  batch 512  %7.1f [%.1f-%.1f]   bound 30\n", large[3], large[0], large[6]);
    std::printf("  batch 1    %7.1f [%.1f-%.1f]   bound 600\n", one[3], one[0], one[6]);
}
