// plain_acks: settle entries {i, ack} for every i, of which most settles are a part.
#pragma once

#include "core/call.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace mqb::core {

// Not thread-safe. What range() gave stays valid for the life of the object: a pending call may point there.
class plain_acks {
public:
    [[nodiscard]] list<const settle_entry> range(std::uint32_t from, std::uint32_t count) {
        if (all_.empty() || all_.back().size() < std::size_t{from} + count) {
            auto& longer = all_.emplace_back(std::max<std::size_t>(512, 2 * (std::size_t{from} + count)));
            for (std::uint32_t i = 0; i < longer.size(); ++i) longer[i].index = i;
        }
        return list<const settle_entry>{std::span<const settle_entry>{all_.back()}.subspan(from, count)};
    }

private:
    std::deque<std::vector<settle_entry>> all_;
};

}  // namespace mqb::core
