// promises: what an endpoint of one configuration keeps to.
#pragma once

#include <cstdint>

namespace mqb::core {

enum class settle_unit : std::uint32_t { message = 0, prefix = 1, batch = 2 };

// Numbers and layout as in the plugin ABI (asserted in host/loading).
struct promises {
    enum : std::uint32_t {
        acknowledges = 1,
        stable_identity = 2,
        finite = 4,
        needs_polling = 8,
        responds = 16,
        ordered = 32,
        ordered_retry = 64,
        concurrent = 128,
        idempotent = 256,
        transactional = 512,
        emptied_at_stop = 1024,
        all_flags = 2047,
    };
    std::uint32_t struct_size = sizeof(promises);
    std::uint32_t flags = 0;
    settle_unit unit = settle_unit::message;
    std::uint32_t dispositions = 0;
    std::uint32_t max_unsettled_messages = 0;  // 0: no limit
    std::uint32_t max_unsettled_batches = 0;
    std::uint32_t holds_messages = 0;
    std::uint32_t holds_batches = 0;

    [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

}  // namespace mqb::core
