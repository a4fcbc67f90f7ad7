#include "core/expressions/repeated_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace mqb::core::expressions {

namespace {

constexpr std::size_t few = 12;  // up to here comparing each with each is faster than sorting

void mark_few(std::span<const member> all, std::span<bool> is_late) noexcept {
    for (std::size_t i = 0; i < all.size(); ++i)
        is_late[i] = std::ranges::none_of(all.subspan(i + 1), [&](const member& m) { return m.key == all[i].key; });
}

void mark_many(std::span<const member> all, std::span<bool> is_late, arena& memory) {
    const std::span<std::uint32_t> order = memory.array<std::uint32_t>(all.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const int c = all[a].key.compare(all[b].key);
        return c != 0 ? c < 0 : a < b;
    });
    for (std::size_t i = 0; i < order.size(); ++i) is_late[order[i]] = i + 1 == order.size() || all[order[i]].key != all[order[i + 1]].key;
}

}  // namespace

std::size_t without_repeated(std::span<member> all, arena& memory) {
    const std::span<bool> is_late = memory.array<bool>(all.size());
    if (all.size() <= few) {
        mark_few(all, is_late);
    } else {
        mark_many(all, is_late, memory);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_late[i]) all[kept++] = all[i];
    return kept;
}

}  // namespace mqb::core::expressions
