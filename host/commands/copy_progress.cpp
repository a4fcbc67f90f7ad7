#include "host/commands/copy_progress.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace mqb::host {

namespace {

constexpr std::string_view erase_line = "\r\033[K";
constexpr double rate_window = 1;  // seconds

}  // namespace

std::string with_separators(std::uint64_t number) {
    std::string out = std::to_string(number);
    for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
    return out;
}

std::string bytes_text(double bytes) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
    char text[48];
    std::snprintf(text, sizeof text, unit == 0 || bytes >= 9.95 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

std::string left_text(const std::optional<core::source_lag>& lag) {
    if (!lag) return {};
    if (lag->bytes) return "; " + bytes_text(static_cast<double>(*lag->bytes)) + " to go";
    if (lag->messages) return "; " + with_separators(*lag->messages) + " messages to go";
    return {};
}

std::string copy_rate::line(std::uint64_t messages, std::uint64_t bytes, std::chrono::duration<double> since_start) {
    const double now = since_start.count();
    const double passed = now - at_;
    if (passed >= rate_window || message_rate_ == 0) {
        if (passed > 0) {
            message_rate_ = static_cast<double>(messages - messages_) / passed;
            byte_rate_ = static_cast<double>(bytes - bytes_) / passed;
        }
        if (passed >= rate_window) {
            at_ = now;
            messages_ = messages;
            bytes_ = bytes;
        }
    }
    return with_separators(messages) + " messages, " + bytes_text(static_cast<double>(bytes)) + "; " +
           with_separators(static_cast<std::uint64_t>(message_rate_)) + " messages/s, " + bytes_text(byte_rate_) + "/s";
}

void progress_line::put(std::string_view text) const noexcept {
    while (!text.empty()) {
        const ssize_t size = ::write(descriptor_, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
}

void progress_line::show(std::string text) {
    if (!is_shown_) return;
    const std::lock_guard lock{mutex_};
    if (text == text_) return;
    text_ = std::move(text);
    put(std::string{erase_line} + text_);
}

void progress_line::clear() {
    const std::lock_guard lock{mutex_};
    if (!text_.empty()) put(erase_line);
    text_.clear();
}

void progress_line::write(core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept {
    const std::lock_guard lock{mutex_};
    if (!text_.empty()) put(erase_line);
    log_.write(level, route, endpoint, text);
    put(text_);
}

}  // namespace mqb::host
