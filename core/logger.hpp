// logger: one line per event, with route and endpoint as fields. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core {

enum class log_level : std::int32_t { debug = 1, info = 2, warning = 3, error = 4, host_misbehaves = 5 };

class logger {
public:
    virtual ~logger() = default;
    [[nodiscard]] virtual log_level lowest() const noexcept = 0;
    virtual void write(log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept = 0;
    // What an endpoint wrote, fit for people and for other systems. Lines of the log are anyway.
    [[nodiscard]] virtual std::string without_secrets(std::string_view text) const { return std::string{text}; }
};

}  // namespace mqb::core
