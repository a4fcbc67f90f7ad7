#include "host/logs/line_logger.hpp"

#include "host/config/scalar.hpp"
#include "host/logs/patient_write.hpp"

#include <ctime>

namespace mqb::host {

namespace {

constexpr std::size_t most_events = 1000;
constexpr std::size_t longest_text = 4096;

std::string time_text(std::chrono::system_clock::time_point at) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
    const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char day[32];
    char all[48];
    std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(all, sizeof all, "%s.%03dZ", day, static_cast<int>(ms % 1000));
    return all;
}

std::string_view level_text(core::log_level level) {
    switch (level) {
        case core::log_level::debug: return "debug";
        case core::log_level::info: return "info";
        case core::log_level::warning: return "warning";
        case core::log_level::error: return "error";
        case core::log_level::host_misbehaves: return "host-misbehaves";
    }
    return "unknown";
}

// A line is one line, whatever a plugin says.
std::string one_line(std::string_view text) {
    std::string out{text.substr(0, longest_text)};
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return out;
}

// How long a line waits for a reader who was there before.
constexpr std::chrono::milliseconds patience{200};

}  // namespace

void line_logger::write(core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept {
    try {
        write_at(clock::now(), level, route, endpoint, text);
    } catch (...) {
        // Out of memory: a log line is not worth the program.
    }
}

void line_logger::write_at(clock::time_point now, core::log_level level, std::string_view route, std::string_view endpoint,
                           std::string_view text) {
    if (level < lowest_) return;
    event e{level, std::string{route}, std::string{endpoint}, one_line(clean_.clean(text))};
    std::lock_guard lock{mutex_};
    tell_old(now);
    const auto [at, is_new] = recent_.try_emplace(std::move(e), repetition{now, 0});
    if (is_new) {
        put(now, at->first, 1);
    } else {
        ++at->second.untold;
    }
}

// Writes the counts of events whose window is over and forgets those that did not repeat.
void line_logger::tell_old(clock::time_point now) {
    if (now - looked_ < std::chrono::seconds{1} && recent_.size() < most_events) return;
    looked_ = now;
    const bool is_full = recent_.size() >= most_events;
    for (auto at = recent_.begin(); at != recent_.end();) {
        if (!is_full && now - at->second.since < collapse_window) {
            ++at;
        } else if (at->second.untold == 0) {
            at = recent_.erase(at);
        } else {
            put(now, at->first, at->second.untold);
            at->second = {now, 0};
            at = is_full ? recent_.erase(at) : std::next(at);
        }
    }
}

void line_logger::flush() noexcept {
    try {
        std::lock_guard lock{mutex_};
        for (const auto& [e, repeated] : recent_)
            if (repeated.untold != 0) put(clock::now(), e, repeated.untold);
        recent_.clear();
    } catch (...) {
        // As in write.
    }
}

// After a line that was lost the next ones do not wait.
void line_logger::put(clock::time_point now, const event& e, std::uint64_t times) {
    std::string text;
    if (lost_ != 0) {
        // What was lost may have been cut in its middle.
        const event gap{core::log_level::warning, {}, {}, "log lines were lost because nobody read them: " + std::to_string(lost_)};
        text = '\n' + line_of(now, gap, 1);
    }
    text += line_of(now, e, times);
    const bool is_written = write_within(descriptor_, text, lost_ == 0 ? patience : std::chrono::milliseconds{0});
    lost_ = is_written ? 0 : lost_ + 1;
}

std::string line_logger::line_of(clock::time_point now, const event& e, std::uint64_t times) const {
    using config::json_string;
    std::string line;
    if (format_ == log_format::json) {
        line = "{\"time\":\"" + time_text(now) + "\",\"level\":\"" + std::string{level_text(e.level)} + '"';
        if (!e.route.empty()) line += ",\"route\":" + json_string(e.route);
        if (!e.endpoint.empty()) line += ",\"endpoint\":" + json_string(e.endpoint);
        line += ",\"text\":" + json_string(e.text);
        if (times > 1) line += ",\"times\":" + std::to_string(times);
        line += "}\n";
    } else {
        line = time_text(now) + ' ' + std::string{level_text(e.level)} + ' ';
        if (!e.route.empty()) line += e.route + (e.endpoint.empty() ? "" : '.' + e.endpoint) + ": ";
        line += e.text + (times > 1 ? " (" + std::to_string(times) + " times more)" : "") + '\n';
    }
    return line;
}

}  // namespace mqb::host
