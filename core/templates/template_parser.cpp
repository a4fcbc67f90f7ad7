#include "core/templates/template_parser.hpp"

#include "core/templates/text_forms.hpp"
#include "core/templates/text_template.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace mqb::core::templates {

namespace {

using expressions::mistake;

// What a route file of a person has is far below.
constexpr std::size_t most_tokens = 10'000;

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return text.substr(text.size());
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::optional<std::int64_t> whole_number(std::string_view text) noexcept {
    std::int64_t out = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    return failed == std::errc{} && end == text.data() + text.size() ? std::optional{out} : std::nullopt;
}

}  // namespace

void template_parser::run() {
    std::size_t at = 0;
    while (at < source_.size()) {
        const std::size_t dollar = std::min(source_.find('$', at), source_.size());
        literal(source_.substr(at, dollar - at));
        const std::string_view rest = source_.substr(dollar);
        at = dollar + 1;
        if (rest.starts_with("$${")) {
            literal("${");
            at = dollar + 3;
        } else if (rest.starts_with("${")) {
            const std::size_t end = source_.find('}', dollar);
            token_at_ = dollar;
            token_size_ = end == std::string_view::npos ? 2 : end + 1 - dollar;
            if (end == std::string_view::npos) fail({}, "\"${\" without \"}\"; a \"${\" that is text is written \"$${\"");
            token(dollar, end);
            at = end + 1;
        } else if (!rest.empty()) {
            literal("$");
        }
    }
}

void template_parser::token(std::size_t from, std::size_t end) {
    const std::string_view inside = source_.substr(from + 2, end - from - 2);
    const std::size_t bar = inside.find('|');
    const std::string_view what = trimmed(inside.substr(0, bar));
    const std::size_t colon = what.find(':');
    const std::string_view space = trimmed(what.substr(0, colon));
    const std::string_view selector = trimmed(what.substr(colon == std::string_view::npos ? what.size() : colon + 1));
    const bool is_known = space == "payload" || space == "metadata" || space == "message" || space == "gen" || space == "env";
    if (!is_known) return literal(source_.substr(from, end + 1 - from));
    if (to_.parts.size() >= 2 * most_tokens) fail({}, "more than " + std::to_string(most_tokens) + " tokens");
    template_part part;
    part.offset = static_cast<std::uint32_t>(token_at_);
    part.length = static_cast<std::uint32_t>(token_size_);
    part.is_in_quotes = is_in_quotes_;
    if (bar != std::string_view::npos) part.through = filter(trimmed(inside.substr(bar + 1)));
    if (space == "env") {
        if (environment(selector, part)) return;
    } else if (space == "payload") {
        payload(selector, part);
    } else if (space == "metadata") {
        if (selector.empty()) fail({}, "${metadata:…} wants a key");
        part.from = token_source::metadata;
        part.text = selector;
    } else if (space == "message") {
        message(selector, part);
    } else {
        generated(selector, part);
    }
    // It would escape the first character of the value, and take the escape of a quote away.
    if (to_.escapes_json && is_behind_backslash_)
        fail({}, "in JSON no backslash may stand before a token; a backslash that is text is written \\\\");
    (space == "gen" ? to_.generates : to_.reads_message) = true;
    to_.parts.push_back(std::move(part));
}

// Follows the quotes of a JSON text, so that each token knows whether it stands in some.
void template_parser::literal(std::string_view text) {
    if (text.empty()) return;
    if (text.size() > longest_template - literal_size_)
        fail({}, "the values of variables are longer than " + std::to_string(longest_template >> 20) + " MiB together");
    literal_size_ += text.size();
    for (const char c : text) {
        if (c == '"' && !is_behind_backslash_) is_in_quotes_ = !is_in_quotes_;
        is_behind_backslash_ = c == '\\' && !is_behind_backslash_;
    }
    if (to_.parts.empty() || to_.parts.back().from != token_source::literal) to_.parts.emplace_back();
    to_.parts.back().text += text;
}

bool template_parser::environment(std::string_view name, template_part& part) {
    if (name.empty()) fail({}, "${env:…} wants the name of a variable");
    const char* const value = std::getenv(std::string{name}.c_str());
    if (!value) fail(name, "the variable " + std::string{name} + " is not set");
    if (part.through == token_filter::base64) {
        std::string text;
        append_base64(text, value);
        literal(text);
        return true;
    }
    if (!simdjson::validate_utf8(std::string_view{value})) fail(name, "the value of the variable " + std::string{name} + " is not UTF-8");
    literal(value);
    return true;
}

// path := name ("." name)*      empty: the whole payload
void template_parser::payload(std::string_view path, template_part& part) const {
    part.from = token_source::payload_field;
    for (std::string_view rest = path; !path.empty();) {
        const std::size_t dot = rest.find('.');
        const std::string_view name = rest.substr(0, dot);
        if (name.empty()) fail(path, "the path has an empty name");
        path_step& step = part.path.emplace_back();
        step.name = name;
        // As many digits as a place in a list can have.
        if (name.size() <= 10 && std::ranges::all_of(name, is_digit)) std::from_chars(name.data(), name.data() + name.size(), step.index);
        if (dot == std::string_view::npos) break;
        rest.remove_prefix(dot + 1);
    }
}

void template_parser::message(std::string_view selector, template_part& part) const {
    if (selector == "id")
        part.from = token_source::message_id;
    else if (selector == "payload")
        part.from = token_source::message_payload;
    else
        fail(selector, "unknown selector: ${message:…} knows id and payload");
}

void template_parser::generated(std::string_view selector, template_part& part) const {
    constexpr std::pair<std::string_view, token_source> known[] = {{"uuid", token_source::uuid},
                                                                   {"now", token_source::now},
                                                                   {"timestamp", token_source::timestamp},
                                                                   {"counter", token_source::counter}};
    for (const auto& [name, source] : known)
        if (selector == name) {
            part.from = source;
            return;
        }
    const std::string_view arguments = selector.starts_with("random") ? trimmed(selector.substr(6)) : std::string_view{};
    if (arguments.starts_with('(') && arguments.ends_with(')')) return random(arguments.substr(1, arguments.size() - 2), part);
    if (selector.starts_with("random")) fail(selector, "random wants two whole numbers, such as random(1,6)");
    fail(selector, "unknown selector: ${gen:…} knows uuid, now, timestamp, counter and random(a,b)");
}

void template_parser::random(std::string_view inside, template_part& part) const {
    const std::size_t comma = inside.find(',');
    const auto least = whole_number(trimmed(inside.substr(0, comma)));
    const auto most = comma == std::string_view::npos ? std::nullopt : whole_number(trimmed(inside.substr(comma + 1)));
    if (!least || !most) fail(inside, "random wants two whole numbers, such as random(1,6)");
    if (*most < *least) fail(inside, "the first number of random is larger than the second one");
    part.from = token_source::random;
    part.least = *least;
    part.most = *most;
}

token_filter template_parser::filter(std::string_view name) const {
    if (name == "raw") return token_filter::raw;
    if (name == "base64" && to_.is_path) fail(name, "base64 has a /, which no name of a file has");
    if (name == "base64") return token_filter::base64;
    fail(name, "unknown filter: known are raw and base64");
}

void template_parser::fail(std::string_view at, std::string text) const {
    if (at.empty()) throw mistake{static_cast<std::uint32_t>(token_at_), static_cast<std::uint32_t>(token_size_), std::move(text)};
    throw mistake{static_cast<std::uint32_t>(at.data() - source_.data()), static_cast<std::uint32_t>(at.size()), std::move(text)};
}

}  // namespace mqb::core::templates
