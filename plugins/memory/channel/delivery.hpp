// delivery: what one receive was given, and which of its messages are settled. What the host knows as a batch.
#pragma once

#include "parcel.hpp"

#include <vector>

namespace mqb::memory {

// Some messages of one parcel, in a row. Holds a count of the parcel wherever it is kept.
struct run {
    parcel* of;
    std::uint32_t from, count;

    // Its part of what the parcel keeps alive.
    std::uint64_t charge() const noexcept { return of->charge() / of->count() * count; }
};

// Threads: filled under the lock of the channel, then only the consumer's calls, one at a time. Used again by its consumer.
class delivery {
public:
    void clear() noexcept;
    void add(const run& one);
    void begin();         // after the last add, with no lock held
    void end() noexcept;  // drops the parcels

    bool is_empty() const noexcept { return count_ == 0; }
    std::uint32_t count() const noexcept { return count_; }
    std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
    std::uint16_t element_size() const noexcept { return runs_.empty() ? 0 : runs_.front().of->element_size(); }
    mqb_list list() noexcept;

    std::uint32_t unsettled() const noexcept { return unsettled_; }
    bool settle(std::uint32_t index) noexcept;      // false: it was before
    void settle_all() noexcept;                     // of one of which nothing was; tells whoever is to be told
    bool tells() const noexcept { return tells_; }  // whether a parcel of it has somebody to tell
    run run_of(std::uint32_t index) noexcept;       // fast in order; without a count of its own
    // What is not settled, in order, one delivery more; each with a count of its own.
    std::vector<run> take_unsettled();

    delivery* next = nullptr;

private:
    std::vector<run> runs_;
    std::vector<std::uint8_t> array_;  // of copied elements, where there is more than one run
    std::vector<bool> settled_;
    std::uint32_t count_ = 0, unsettled_ = 0;
    std::uint64_t payload_bytes_ = 0;
    bool tells_ = false;
    std::size_t last_run_ = 0;  // where run_of found the last one, and the index of its first message
    std::uint32_t last_first_ = 0;
};

}  // namespace mqb::memory
