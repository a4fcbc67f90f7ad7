// queue_store: what stands behind the fake sources and sinks and outlives them, like the queues and files of a broker.
#pragma once

#include "core/call.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mqb::shapes {

// A source message: its place is its identity.
struct item {
    enum class place : std::uint8_t { ready, out, settled };
    std::uint32_t partition = 0;
    std::uint32_t number = 0;
    std::uint32_t size = 20;  // payload bytes
    place at = place::ready;
    core::disposition how = core::disposition::ack;
    std::string reason;
    std::uint32_t times_given = 0;
    std::uint32_t times_settled = 0;
    std::vector<std::string> replies;
};

using identity = std::pair<std::uint32_t, std::uint32_t>;

// Touched on the route's side only, except for the number of owners.
struct queue_store {
    queue_store(std::uint32_t partitions, std::uint32_t messages) : ready(partitions) {
        for (std::uint32_t i = 0; i < messages; ++i) add(i % partitions);
    }
    item& add(std::uint32_t partition) {
        item& made = items.emplace_back();
        made.partition = partition;
        made.number = numbers[partition]++;
        ready[partition].push_back(&made);
        return made;
    }
    // Comes again, in its place.
    void give_back(item& i) {
        i.at = item::place::ready;
        auto& queue = ready[i.partition];
        auto at = queue.begin();
        while (at != queue.end() && (*at)->number < i.number) ++at;
        queue.insert(at, &i);
    }
    [[nodiscard]] bool is_empty() const noexcept {
        for (const auto& q : ready)
            if (!q.empty()) return false;
        return true;
    }
    [[nodiscard]] std::size_t count(item::place where) const noexcept {
        std::size_t n = 0;
        for (const item& i : items) n += i.at == where;
        return n;
    }

    std::deque<item> items;  // in place for ever
    std::vector<std::deque<item*>> ready;
    std::map<std::uint32_t, std::uint32_t> numbers;
    std::uint64_t next_lane = 1;
    std::atomic<std::int64_t> owners{0};  // blocks of memory that somebody still holds
};

// What a sink has got.
struct sink_store {
    [[nodiscard]] std::uint32_t times(identity id) const {
        auto at = counts.find(id);
        return at == counts.end() ? 0 : at->second;
    }
    [[nodiscard]] bool has(identity id) const { return counts.contains(id); }
    void take(identity id) {
        log.push_back(id);
        ++counts[id];
    }

    std::vector<identity> log;  // in order of arrival
    std::map<identity, std::uint32_t> counts;
};

// What a sink's log says about what a source had: counts over all partitions.
struct verdict {
    std::uint64_t missing = 0;
    std::uint64_t repeated = 0;
    std::uint64_t out_of_order = 0;  // a first arrival after that of a later message of its partition
};
[[nodiscard]] verdict compare(const queue_store& source, const sink_store& sink);

}  // namespace mqb::shapes
