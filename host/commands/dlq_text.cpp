#include "host/commands/dlq_text.hpp"

#include "host/state/metadata_entry.hpp"
#include "host/state/utf8.hpp"
#include "host/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <array>
#include <cstdio>

namespace mqb::host {

namespace {

constexpr std::size_t class_column = 3;
constexpr std::size_t most_payload_shown = 4096;

// Characters, not bytes.
std::size_t length(std::string_view text) {
    std::size_t out = 0;
    for (const char c : text) out += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return out;
}

std::string cut(std::string_view text, std::size_t most) {
    if (most == 0 || length(text) <= most) return std::string{text};
    std::size_t at = 0;
    for (std::size_t n = 0; at < text.size() && n < most; ++n)
        for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;) ++at;
    return std::string{text.substr(0, at)};
}

std::string_view colour_of(core::death why) {
    switch (why) {
        case core::death::refused: return "\x1b[31m";
        case core::death::given_up: return "\x1b[33m";
        case core::death::max_deliveries: return "\x1b[35m";
    }
    return {};
}

}  // namespace

text_style style_of_output() {
    text_style out;
    if (!is_terminal(STDOUT_FILENO)) return out;
    out.has_colour = wants_colour(STDOUT_FILENO);
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) out.width = size.ws_col;
    return out;
}

std::string age(std::uint64_t at_ns, std::uint64_t now_ns) {
    const std::uint64_t seconds = now_ns > at_ns ? (now_ns - at_ns) / 1'000'000'000 : 0;
    if (seconds < 120) return std::to_string(seconds) + 's';
    if (seconds < 120 * 60) return std::to_string(seconds / 60) + 'm';
    if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + 'h';
    return std::to_string(seconds / 86400) + 'd';
}

std::string size_in_words(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %s", value, units[unit]);
    return text.data();
}

std::string harmless(std::string_view text, bool keep_lines) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool is_c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (keep_lines && (c == '\n' || c == '\t'))
            out += text[i];
        else if (c == '\n')
            out += "\\n";
        else if (c < 0x20 || c == 0x7f)
            out.append({'\\', 'x', digits[c >> 4], digits[c & 15]});
        else if (is_c1)
            out += "\\x", out += digits[static_cast<unsigned char>(text[i + 1]) >> 4],
                out += digits[static_cast<unsigned char>(text[i + 1]) & 15], ++i;
        else
            out += text[i];
    }
    return out;
}

letter_table::row letter_table::cells(const state::letter& l) const {
    return {std::to_string(l.id),       harmless(l.route),    harmless(clean_(l.endpoint)), std::string{state::class_name(l.why)},
            std::to_string(l.attempts), age(l.last_at, now_), size_in_words(l.size),        harmless(clean_(l.error))};
}

void letter_table::add(const std::vector<state::letter>& page) {
    const row titles{"ID", "ROUTE", "ENDPOINT", "CLASS", "ATTEMPTS", "AGE", "SIZE", "ERROR"};
    std::vector<row> rows;
    for (const state::letter& l : page) rows.push_back(cells(l));
    const bool is_first = widths_.empty();
    if (is_first) {
        for (const std::string& title : titles) widths_.push_back(title.size());
        for (const row& one : rows)
            for (std::size_t i = 0; i < one.size(); ++i) widths_[i] = std::max(widths_[i], length(one[i]));
        put(titles, {});
    }
    for (std::size_t i = 0; i < rows.size(); ++i) put(rows[i], style_.has_colour ? colour_of(page[i].why) : std::string_view{});
}

// The last column is not padded.
void letter_table::put(const row& cells, std::string_view colour) {
    std::string line;
    std::size_t class_at = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i == class_column) class_at = line.size();
        line += cells[i];
        const std::size_t used = length(cells[i]);
        if (i + 1 < cells.size()) line.append(used < widths_[i] ? widths_[i] - used + 2 : 2, ' ');
    }
    line = cut(line, style_.width);
    const std::size_t class_size = cells[class_column].size();
    if (!colour.empty() && class_at + class_size <= line.size()) {
        line.insert(class_at + class_size, "\x1b[0m");
        line.insert(class_at, colour);
    }
    to_ << line << '\n';
}

void print_letter(std::ostream& to, const state::letter& l, const state::letter_content& content, const state::text_filter& clean,
                  std::uint64_t now_ns) {
    to << "dead letter " << l.id << "\n  route     " << harmless(l.route) << "\n  endpoint  " << harmless(clean(l.endpoint))
       << "\n  class     " << state::class_name(l.why) << "\n  error     " << harmless(clean(l.error)) << "\n  attempts  " << l.attempts
       << ", the first at " << state::rfc3339(l.first_at) << ", the last at " << state::rfc3339(l.last_at) << " (" << age(l.last_at, now_ns)
       << " ago)" << (l.may_have_arrived ? "\n  arrived   perhaps: an attempt ended without an answer" : "") << "\n  source    "
       << harmless(clean(l.source));
    state::metadata_walk walk{content.metadata};
    const char* title = "\n  metadata  ";
    while (const auto entry = walk.next()) {
        to << title << harmless(entry->key) << " (" << state::type_name(*entry) << "): " << harmless(state::value_text(*entry));
        title = "\n            ";
    }
    if (!content.payload) {
        to << "\n  payload   null\n";
        return;
    }
    const std::string& payload = *content.payload;
    const bool is_text = state::is_utf8(payload);
    const bool is_cut = payload.size() > most_payload_shown;
    to << "\n  payload   " << size_in_words(payload.size()) << (is_text ? "" : ", in base64");
    if (!payload.empty())
        to << ":\n" << (is_text ? harmless(cut(payload, most_payload_shown), true) : state::base64(payload.substr(0, most_payload_shown)));
    if (is_cut) to << "\n[cut; --json gives all of it]";
    to << '\n';
}

}  // namespace mqb::host
