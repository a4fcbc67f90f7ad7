// failure_notes: what the sending side of a route knows about messages that failed, until the ledger learns their fate. A settlement
// has no room for it, and may pass middlewares on its way.
#pragma once

#include "core/dead_letters.hpp"
#include "core/message.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

namespace mqb::core {

// By message id. Not thread-safe. Bounded: where middlewares change ids, notes are left over, and the reason of the settlement has to
// do.
class failure_notes {
public:
    void put(const std::array<std::uint8_t, 16>& id, failure_note note) {
        if (notes_.size() >= most) notes_.clear();
        notes_.insert_or_assign(key(id), std::move(note));
    }
    [[nodiscard]] std::optional<failure_note> take(const std::array<std::uint8_t, 16>& id) {
        if (notes_.empty()) return std::nullopt;
        auto found = notes_.extract(key(id));
        if (found.empty()) return std::nullopt;
        return std::move(found.mapped());
    }

private:
    static constexpr std::size_t most = 1u << 16;
    using id_key = std::pair<std::uint64_t, std::uint64_t>;
    struct hash {
        std::size_t operator()(const id_key& k) const noexcept { return k.first * 0x9E3779B97F4A7C15u ^ k.second; }
    };
    static id_key key(const std::array<std::uint8_t, 16>& id) noexcept {
        id_key k;
        std::memcpy(&k.first, id.data(), 8);
        std::memcpy(&k.second, id.data() + 8, 8);
        return k;
    }
    std::unordered_map<id_key, failure_note, hash> notes_;
};

}  // namespace mqb::core
