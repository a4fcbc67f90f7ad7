#include "host/config/dotenv.hpp"

#include "host/config/secret_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace mqb::config {

namespace {

constexpr std::size_t largest = 1u << 20;
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(blanks);
    return from == std::string_view::npos ? std::string_view{} : text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

bool is_name(std::string_view text) {
    const auto is_part = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !text.empty() && (text.front() < '0' || text.front() > '9') && std::all_of(text.begin(), text.end(), is_part);
}

bool is_end(std::string_view rest) {
    rest = trimmed(rest);
    return rest.empty() || rest.starts_with('#');
}

// None: a quote is not closed, or something stands behind it.
std::optional<std::string> quoted(std::string_view text) {
    const char quote = text.front();
    std::string out;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == quote) return is_end(text.substr(i + 1)) ? std::optional{out} : std::nullopt;
        const bool is_escape = quote == '"' && text[i] == '\\' && i + 1 < text.size();
        out += is_escape ? (text[++i] == 'n' ? '\n' : text[i]) : text[i];
    }
    return std::nullopt;
}

std::optional<std::string> value_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('"') || text.starts_with('\'')) return quoted(text);
    return std::string{trimmed(text.starts_with('#') ? std::string_view{} : text.substr(0, text.find(" #")))};
}

}  // namespace

void read_dotenv(std::string_view text, std::string_view file_name, environment& into, findings& to) {
    const std::uint32_t source = to.source(file_name);
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = trimmed(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (is_end(line)) continue;
        if (line.starts_with("export ")) line = trimmed(line.substr(7));
        const std::size_t equals = line.find('=');
        const std::string_view name = trimmed(line.substr(0, equals));
        const position at{number, 1, source};
        if (equals == std::string_view::npos || !is_name(name)) {
            to.error(at, "", "is no line like NAME=VALUE");
        } else if (auto value = value_of(line.substr(equals + 1))) {
            into.emplace(name, std::move(*value));
        } else {
            to.error(at, name, "its quotes are not closed, or something stands behind them");
        }
    }
}

void read_dotenv_file(const std::string& path, environment& into, findings& to) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) return;
    const auto text = read_secret_file(path, largest);
    if (text) return read_dotenv(*text, path, into, to);
    to.in_file(path);
    to.error({}, "", text.error().text.substr(path.size() + 1));  // the finding names the file itself
}

}  // namespace mqb::config
