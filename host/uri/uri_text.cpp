#include "host/uri/uri_text.hpp"

namespace mqb::host {

namespace {

core::failure bad(std::string text) { return {core::status::bad_config, std::move(text)}; }

std::string quoted(std::string_view text) { return '"' + std::string{text} + '"'; }

// The length of the `${…}` that the text begins with; 0: it does not begin with one.
std::size_t variable_length(std::string_view text) noexcept {
    if (!text.starts_with("${")) return 0;
    const std::size_t end = text.find('}');
    return end == std::string_view::npos ? 0 : end + 1;
}

// The first `what` outside of variables.
std::size_t find_outside(std::string_view text, char what) noexcept {
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == what) return i;
        const std::size_t variable = variable_length(text.substr(i));
        i += variable == 0 ? 1 : variable;
    }
    return std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> out;
    for (std::size_t end = find_outside(text, at); end != std::string_view::npos; end = find_outside(text, at)) {
        out.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    out.push_back(text);
    return out;
}

int hex(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool is_word(std::string_view text) noexcept {
    if (text.empty()) return false;
    for (const char c : text) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_letter && c != '_' && c != '-' && c != '+' && c != '.') return false;
    }
    return true;
}

core::result<uri_parameters> read_parameters(std::string_view text) {
    uri_parameters out;
    for (const std::string_view one : split(text, '&')) {
        if (one.empty()) continue;
        const std::size_t equals = find_outside(one, '=');
        if (equals == std::string_view::npos) return bad("the parameter " + quoted(one) + " has no value: FIELD=VALUE is wanted");
        const auto name = percent_decoded(one.substr(0, equals));
        if (!name) return name.error();
        if (name->empty()) return bad("the parameter " + quoted(one) + " has no name: FIELD=VALUE is wanted");
        out.emplace_back(*name, one.substr(equals + 1));
    }
    return out;
}

struct without_parameters {
    std::string_view head;
    std::string_view parameters;
};

without_parameters cut(std::string_view text) noexcept {
    const std::size_t mark = find_outside(text, '?');
    if (mark == std::string_view::npos) return {text, {}};
    return {text.substr(0, mark), text.substr(mark + 1)};
}

core::result<uri_endpoint> read_endpoint(std::string_view text) {
    const auto [head, behind] = cut(text);
    uri_endpoint out;
    std::string_view rest;
    if (head == "-" || head == "stdio:") {
        out.scheme = "-";
    } else {
        const std::size_t colon = head.find(':');
        if (head.empty()) return bad("the URI is empty");
        if (colon == std::string_view::npos)
            return bad(quoted(head) + " has no scheme: a URI begins with SCHEME:, such as file:" + std::string{head} + ", or is -");
        out.scheme = head.substr(0, colon);
        if (!is_word(out.scheme)) return bad("the scheme " + quoted(out.scheme) + " is none: letters, digits, +, - and . are wanted");
        rest = head.substr(colon + 1);
    }
    if (rest.starts_with("//")) {
        rest.remove_prefix(2);
        const std::size_t slash = find_outside(rest, '/');
        out.authority = rest.substr(0, slash);
        rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash);
    }
    out.path = rest;
    auto parameters = read_parameters(behind);
    if (!parameters) return parameters.error();
    out.parameters = std::move(*parameters);
    return out;
}

core::result<std::string> resolved(std::string_view text, bool is_for_variables) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t variable = variable_length(text.substr(i)); variable != 0) {
            out += text.substr(i, variable);
            i += variable;
            continue;
        }
        char c = text[i];
        std::size_t length = 1;
        if (c == '%') {
            const int high = i + 1 < text.size() ? hex(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return bad(quoted(text.substr(i, 3)) + " is no escape: % and two hexadecimal digits are wanted; a % is written %25");
            c = static_cast<char>(high * 16 + low);
            length = 3;
        }
        if (c == '$' && is_for_variables) out += '$';
        out += c;
        i += length;
    }
    return out;
}

}  // namespace

bool uri_endpoint::has_user() const noexcept {
    const std::size_t at = find_outside(authority, '@');
    return at != std::string_view::npos && find_outside(authority, ':') < at;
}

core::result<uri_text> split_uri(std::string_view text) {
    uri_text out;
    const std::vector<std::string_view> parts = split(text, '|');
    auto endpoint = read_endpoint(parts.front());
    if (!endpoint) return endpoint.error();
    out.endpoint = std::move(*endpoint);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto [name, behind] = cut(parts[i]);
        if (!is_word(name))
            return bad("the middleware " + quoted(name) + " behind | has no name: NAME?FIELD=VALUE is wanted; a | is written %7C");
        auto parameters = read_parameters(behind);
        if (!parameters) return parameters.error();
        out.middlewares.push_back({std::string{name}, std::move(*parameters)});
    }
    return out;
}

core::result<std::string> percent_decoded(std::string_view text) { return resolved(text, false); }

core::result<std::string> value_text(std::string_view text) { return resolved(text, true); }

}  // namespace mqb::host
