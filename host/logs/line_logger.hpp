// line_logger: one line per event on a file descriptor, for people or as JSON; an event that repeats is counted instead. Lines that
// nobody reads are lost and counted: they hold nobody up.
#pragma once

#include "core/logger.hpp"
#include "host/logs/scrubber.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace mqb::host {

enum class log_format { human, json };

class line_logger final : public core::logger {
public:
    using clock = std::chrono::system_clock;
    // The same event again within this time is counted, not written.
    static constexpr auto collapse_window = std::chrono::seconds{10};

    explicit line_logger(int descriptor, core::log_level lowest = core::log_level::info, log_format format = log_format::human)
        : descriptor_(descriptor), lowest_(lowest), format_(format) {}
    ~line_logger() override { flush(); }

    // Before the first thread.
    void set_scrubber(scrubber clean) { clean_ = std::move(clean); }
    [[nodiscard]] core::log_level lowest() const noexcept override { return lowest_; }
    void write(core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept override;
    [[nodiscard]] std::string without_secrets(std::string_view text) const override { return clean_.clean(text); }
    // The same at a time that a test chooses.
    void write_at(clock::time_point now, core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text);
    // Writes what has been counted and not told.
    void flush() noexcept;

private:
    struct event {
        core::log_level level;
        std::string route, endpoint, text;
        auto operator<=>(const event&) const = default;
    };
    struct repetition {
        clock::time_point since;  // of the last line
        std::uint64_t untold = 0;
    };
    void put(clock::time_point now, const event& e, std::uint64_t times);
    [[nodiscard]] std::string line_of(clock::time_point now, const event& e, std::uint64_t times) const;
    void tell_old(clock::time_point now);

    int descriptor_;
    core::log_level lowest_;
    log_format format_;
    scrubber clean_;
    std::mutex mutex_;
    std::map<event, repetition> recent_;
    clock::time_point looked_;
    std::uint64_t lost_ = 0;  // lines, since the last one that could be written
};

}  // namespace mqb::host
