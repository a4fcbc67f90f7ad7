// copy_progress: one line on a terminal that says how far a copy is. Other lines of the log push it down.
#pragma once

#include "core/logger.hpp"
#include "core/source_lag.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::host {

// "12,345 messages, 3.4 MB; 45,678 messages/s, 12 MB/s". Rates are those of the last second or so.
class copy_rate {
public:
    [[nodiscard]] std::string line(std::uint64_t messages, std::uint64_t bytes, std::chrono::duration<double> since_start);

private:
    double at_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    double message_rate_ = 0;
    double byte_rate_ = 0;
};

// Any thread. `is_shown` false: nothing but the log.
class progress_line final : public core::logger {
public:
    progress_line(int descriptor, bool is_shown, core::logger& log) : descriptor_(descriptor), is_shown_(is_shown), log_(log) {}
    void show(std::string text);
    void clear();
    [[nodiscard]] bool is_shown() const noexcept { return is_shown_; }

    [[nodiscard]] core::log_level lowest() const noexcept override { return log_.lowest(); }
    void write(core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept override;

private:
    void put(std::string_view text) const noexcept;

    int descriptor_;
    bool is_shown_;
    core::logger& log_;
    std::mutex mutex_;
    std::string text_;
};

// "; 1.2 GB to go" of a source that counts, else nothing.
[[nodiscard]] std::string left_text(const std::optional<core::source_lag>& lag);
[[nodiscard]] std::string with_separators(std::uint64_t number);
// "3.4 MB"
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace mqb::host
