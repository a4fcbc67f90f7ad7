// counters: what became of the source messages of one route. Written by the route alone, read by any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace mqb::core {

// One writer, so that adding needs no locked instruction.
class counter {
public:
    void add(std::uint64_t n) noexcept { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
    void subtract(std::uint64_t n) noexcept { value_.store(value_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

// A copy of the counters at one moment. `received` equals the sum of the others when the route is at rest.
struct ledger_totals {
    std::uint64_t received = 0;
    std::uint64_t delivered = 0;
    std::uint64_t replied = 0;
    std::uint64_t filtered = 0;
    std::uint64_t duplicate = 0;
    std::uint64_t discarded = 0;
    std::uint64_t dead_lettered = 0;
    std::uint64_t rejected = 0;
    std::uint64_t nacked = 0;
    std::uint64_t returned = 0;
    std::uint64_t in_flight = 0;  // counted from the entries that the ledger holds, never computed from the others

    [[nodiscard]] std::uint64_t accounted() const noexcept {
        return delivered + replied + filtered + duplicate + discarded + dead_lettered + rejected + nacked + returned + in_flight;
    }
    [[nodiscard]] bool is_exact() const noexcept { return received == accounted(); }
};

struct ledger_counters {
    counter received, delivered, replied, filtered, duplicate, discarded, dead_lettered, rejected, nacked, returned, in_flight;

    [[nodiscard]] ledger_totals totals() const noexcept {
        return {received.get(),      delivered.get(), replied.get(), filtered.get(), duplicate.get(), discarded.get(),
                dead_lettered.get(), rejected.get(),  nacked.get(),  returned.get(), in_flight.get()};
    }
};

}  // namespace mqb::core
