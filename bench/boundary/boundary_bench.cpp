// bench_boundary: what the plugin interface costs: the same endpoint linked in, and loaded through the adapters. Processor time of
// the thread, interleaved, medians. bench_boundary [PLUGIN.so]
#include "host/loading/factories.hpp"
#include "linked_in.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <ctime>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

using namespace mqb;

constexpr int rounds = 41;
constexpr std::uint32_t messages_per_round = 512 * 2000;

struct silent final : core::logger {
    core::log_level lowest() const noexcept override { return core::log_level::error; }
    void write(core::log_level, std::string_view, std::string_view, std::string_view) noexcept override {}
};

double cpu_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// One endpoint of each side, and the calls that are made of them again and again.
struct driver {
    core::consumer& consumer;
    core::publisher& publisher;
    std::vector<core::settle_entry> entries = std::vector<core::settle_entry>(BENCH_LARGEST_BATCH);
    std::vector<core::outcome> outcomes = std::vector<core::outcome>(BENCH_LARGEST_BATCH);
    core::receive_call receive_call{};
    core::send_call send_call{};
    core::settle_call settle_call{};

    void take(std::uint32_t batch) {
        receive_call.max_messages = batch;
        if (consumer.receive(receive_call) != core::status::ok) std::abort();
    }
    void send(std::uint32_t batch) {
        send_call.messages = receive_call.messages;
        send_call.outcomes = std::span<core::outcome>{outcomes.data(), batch};
        if (publisher.send(send_call) != core::status::ok) std::abort();
    }
    void settle(std::uint32_t batch) {
        settle_call.batch = receive_call.batch;
        settle_call.entries = std::span<const core::settle_entry>{entries.data(), batch};
        settle_call.outcomes = std::span<core::outcome>{outcomes.data(), batch};
        if (consumer.settle(settle_call) != core::status::ok) std::abort();
    }
    void give_back() { consumer.free_batch(receive_call.batch); }
};

enum class part { receive, send, settle, all };

void repeat(driver& d, part which, std::uint32_t batch, std::uint32_t calls) {
    for (std::uint32_t i = 0; i < calls; ++i) {
        if (which == part::receive || which == part::all) d.take(batch);
        if (which == part::send || which == part::all) d.send(batch);
        if (which == part::settle || which == part::all) d.settle(batch);
        if (which == part::receive || which == part::all) d.give_back();
    }
}

double measure(driver& d, part which, std::uint32_t batch) {
    const std::uint32_t calls = messages_per_round / batch / (batch == 1 ? 4 : 1);
    d.take(batch);
    const double before = cpu_ns();
    repeat(d, which, batch, calls);
    return (cpu_ns() - before) / calls / batch;
}

double median(std::vector<double>& all) {
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    return all[all.size() / 2];
}

void compare(const char* name, part which, std::uint32_t batch, driver& linked, driver& loaded) {
    std::vector<double> a, b, difference;
    measure(linked, which, batch);
    measure(loaded, which, batch);
    for (int i = 0; i < rounds; ++i) {
        // Each goes first in turn.
        const bool turn = i % 2 == 0;
        const double first = measure(turn ? linked : loaded, which, batch);
        const double second = measure(turn ? loaded : linked, which, batch);
        a.push_back(turn ? first : second);
        b.push_back(turn ? second : first);
        difference.push_back(b.back() - a.back());
    }
    std::printf("%-22s batch %3u   linked in %7.2f   loaded %7.2f   boundary %+7.2f ns %s\n", name, batch, median(a), median(b),
                median(difference), batch == 1 ? "a call" : "a message");
}

template <class T>
std::unique_ptr<T> run(boost::asio::awaitable<core::result<std::unique_ptr<T>>> work) {
    boost::asio::io_context io;
    std::unique_ptr<T> out;
    boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr, core::result<std::unique_ptr<T>> r) {
        if (r)
            out = std::move(*r);
        else
            std::fprintf(stderr, "%s\n", r.error().text.c_str());
    });
    io.run();
    if (!out) std::exit(1);
    return out;
}

}  // namespace

int main(int count, char** arguments) {
    auto library = loading::library::open(count > 1 ? arguments[1] : BENCH_PLUGIN);
    if (!library) return std::fprintf(stderr, "%s\n", library.error().text.c_str()), 1;
    loading::plugin_endpoint_factory factory{{*library, (*library)->find(loading::offer_kind::endpoint, "inline")},
                                             std::make_shared<loading::plugin_services>()};
    core::mailbox box;
    core::manual_timers clock{box};
    silent log;
    const core::instance_context context{box, clock, log, "bench", "input", "bench/1", "", false, 1, 512, 0};
    const auto consumer = run(factory.make_consumer(context, "{}"));
    const auto publisher = run(factory.make_publisher(context, "{}"));
    bench::linked_in_consumer linked_consumer;
    bench::linked_in_publisher linked_publisher;
    driver linked{linked_consumer, linked_publisher}, loaded{*consumer, *publisher};
    for (const std::uint32_t batch : {512u, 1u}) {
        compare("receive + free_batch", part::receive, batch, linked, loaded);
        compare("send", part::send, batch, linked, loaded);
        compare("settle", part::settle, batch, linked, loaded);
        compare("all four in turn", part::all, batch, linked, loaded);
    }
}
