// promises: what an instance keeps to, in words.
#pragma once

#include <mqb/plugin.h>

#include <cstdint>
#include <cstring>

namespace mqb::sdk {

// How a consumer settles.
enum class settles : std::uint32_t { message = MQB_UNIT_MESSAGE, prefix = MQB_UNIT_PREFIX, batch = MQB_UNIT_BATCH };

// Starts with nothing promised (a middleware: with what its inner side promises).
struct promises : mqb_promises {
    constexpr promises() noexcept : mqb_promises{sizeof(mqb_promises), 0, 0, 0, 0, 0, 0, 0} {}

    // What is freed unsettled comes again; with the unit of a settle, and ACK among the dispositions.
    constexpr promises& acknowledges(settles unit) noexcept {
        settle_unit = static_cast<std::uint32_t>(unit);
        dispositions |= MQB_BIT(MQB_ACK);
        return set(MQB_ACKNOWLEDGES);
    }
    constexpr promises& takes(std::int32_t disposition) noexcept { return dispositions |= MQB_BIT(disposition), *this; }
    constexpr promises& stable_identity() noexcept { return set(MQB_STABLE_IDENTITY); }
    constexpr promises& finite() noexcept { return set(MQB_FINITE); }
    constexpr promises& needs_polling() noexcept { return set(MQB_NEEDS_POLLING); }
    constexpr promises& emptied_at_stop() noexcept { return set(MQB_EMPTIED_AT_STOP); }
    constexpr promises& unsettled(std::uint32_t messages, std::uint32_t batches) noexcept {
        max_unsettled_messages = messages, max_unsettled_batches = batches;
        return *this;
    }
    constexpr promises& responds() noexcept { return set(MQB_RESPONDS); }
    constexpr promises& ordered() noexcept { return set(MQB_ORDERED); }
    constexpr promises& ordered_retry() noexcept { return set(MQB_ORDERED_RETRY); }
    constexpr promises& concurrent() noexcept { return set(MQB_CONCURRENT); }
    constexpr promises& idempotent() noexcept { return set(MQB_IDEMPOTENT); }
    constexpr promises& transactional() noexcept { return set(MQB_TRANSACTIONAL); }
    constexpr promises& holds(std::uint32_t messages, std::uint32_t batches) noexcept {
        holds_messages = messages, holds_batches = batches;
        return *this;
    }
    constexpr promises& set(std::uint32_t flag) noexcept { return flags |= flag, *this; }
    constexpr promises& clear(std::uint32_t flag) noexcept { return flags &= ~flag, *this; }
    constexpr bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

namespace detail {

// As much as both sides know of the struct.
inline void copy_promises(mqb_promises& to, const mqb_promises& from) noexcept {
    const std::uint32_t size = to.struct_size, known = size < from.struct_size ? size : from.struct_size;
    std::memcpy(&to, &from, known);
    to.struct_size = size;
}

}  // namespace detail

}  // namespace mqb::sdk
