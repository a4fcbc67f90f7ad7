#include "host/config/settings.hpp"

#include "host/config/scalar.hpp"

#include <algorithm>
#include <array>

namespace mqb::config {

namespace {

constexpr std::array used{"plugins", "state_dir", "log", "log_level", "logger", "endpoints", "env_vars", "envVars", "shutdown_timeout_ms"};
// Keys of the peer's own program: its files load here, and these have no meaning here.
constexpr std::array unused{"history", "default_tab", "config_security", "extract_secrets", "ui_addr"};
constexpr std::array later{"admin", "metrics_addr"};
constexpr std::array entities{"consumers", "publishers"};

template <std::size_t N>
bool is_one_of(std::string_view key, const std::array<const char*, N>& of) {
    return std::find(of.begin(), of.end(), key) != of.end();
}

bool is_empty(const node& value) {
    return value.what == shape::null || (value.what == shape::scalar && value.text.empty()) ||
           (value.what != shape::scalar && value.items.empty() && value.entries.empty());
}

void read_text(const entry& from, const std::string& path, std::string& into, findings& to) {
    if (from.value->what == shape::scalar) {
        into = from.value->text;
        if (std::string fault = fault_in_name(into); !fault.empty()) to.error(from.value->at, path, std::move(fault));
    } else if (from.value->what != shape::null) {
        to.error(from.at, path, "has to be a text");
    }
}

void check_level(const entry& from, const std::string& path, std::string& level, findings& to) {
    constexpr std::array known{"debug", "info", "warning", "error"};
    if (level == "trace") level = "debug";
    if (level == "warn") level = "warning";
    if (!level.empty() && !is_one_of(level, known)) to.error(from.value->at, path, "known are debug, info, warning and error");
}

void check_format(const entry& from, const std::string& path, std::string& format, findings& to) {
    if (format.empty()) format = "human";
    if (format != "human" && format != "json") to.error(from.value->at, path, "known are human and json");
}

void read_log(const entry& from, const std::string& at, settings& into, findings& to) {
    if (from.value->what != shape::map) return to.error(from.at, at, "takes a map with level and format");
    for (const entry& e : from.value->entries) {
        const std::string path = joined(at, e.key);
        if (e.key == "level") {
            read_text(e, path, into.log_level, to);
            check_level(e, path, into.log_level, to);
        } else if (e.key == "format") {
            read_text(e, path, into.log_format, to);
            check_format(e, path, into.log_format, to);
        } else {
            to.error(e.at, path, "unknown key; known are level and format");
        }
    }
}

void read_plugins(const entry& from, const std::string& path, settings& into, findings& to) {
    if (from.value->what == shape::null) return;
    if (from.value->what != shape::list) return to.error(from.at, path, "has to be a list of files");
    for (const node_ptr& item : from.value->items) {
        if (item->what == shape::scalar) {
            into.plugins.push_back(item->text);
            if (std::string fault = fault_in_name(item->text); !fault.empty()) to.error(item->at, path, std::move(fault));
        } else {
            to.error(item->at, path, "has to be a list of files");
        }
    }
}

}  // namespace

bool is_setting(std::string_view key) {
    return is_one_of(key, used) || is_one_of(key, unused) || is_one_of(key, later) || is_one_of(key, entities);
}

std::vector<std::string> setting_names() {
    std::vector<std::string> out{used.begin(), used.end()};
    out.insert(out.end(), {"routes", "input", "output"});
    return out;
}

std::vector<std::string> ignored_setting_names() { return {unused.begin(), unused.end()}; }
std::vector<std::string> later_setting_names() { return {later.begin(), later.end()}; }

void read_setting(const entry& from, const std::string& path, settings& into, findings& to) {
    const std::string& key = from.key;
    if (is_one_of(key, entities)) {
        to.error(from.at, path, "not read here: write them as routes, each with an input and an output");
    } else if (is_one_of(key, unused)) {
        to.warning(from.at, path, "has no meaning here");
    } else if (is_one_of(key, later)) {
        if (!is_empty(*from.value)) to.error(from.at, path, "not supported by this version");
    } else if (key == "plugins") {
        read_plugins(from, path, into, to);
    } else if (key == "log") {
        read_log(from, path, into, to);
    } else if (key == "state_dir") {
        read_text(from, path, into.state_dir, to);
    } else if (key == "log_level") {
        read_text(from, path, into.log_level, to);
        check_level(from, path, into.log_level, to);
    } else if (key == "logger") {
        read_text(from, path, into.log_format, to);
        check_format(from, path, into.log_format, to);
    }
}

}  // namespace mqb::config
