// fault: which calls of a chain go wrong on purpose, and how.
#pragma once

#include "core/result.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mqb::core {

enum class fault_mode { panic, disconnect, timeout, json_format_error, nack };

struct fault_setting {
    fault_mode mode = fault_mode::panic;
    std::uint64_t trigger = 0;  // the number of the one call that goes wrong; 0: every call
    bool is_enabled = true;

    static result<fault_setting> read(std::string_view config);
};

// As in a route file.
[[nodiscard]] std::string_view to_text(fault_mode mode) noexcept;

// Counts calls. Any thread: the workers of a route count together.
class fault_plan {
public:
    explicit fault_plan(fault_setting setting) : setting_(setting) {}
    [[nodiscard]] fault_mode mode() const noexcept { return setting_.mode; }
    // One more call. Its number, if it is to go wrong; else 0.
    [[nodiscard]] std::uint64_t next() noexcept {
        const std::uint64_t number = calls_.fetch_add(1, std::memory_order_relaxed) + 1;
        return setting_.trigger == 0 || setting_.trigger == number ? number : 0;
    }

private:
    const fault_setting setting_;
    std::atomic<std::uint64_t> calls_{0};
};

}  // namespace mqb::core
