#include "host/config/validation.hpp"

#include "core/templates/text_template.hpp"
#include "host/config/near_match.hpp"
#include "host/config/scalar.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace mqb::config {

namespace {

// "a", "b" or "c"
std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return out;
}

std::string member(std::string_view name, const std::string& value) { return json_string(name) + ':' + value; }

// Appends `item` to the members or items in `list`.
void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ",") + item; }

std::string shown(const node& value, const schema& against, const place& where) {
    constexpr std::size_t longest = 60;
    if (against.is_secret || where.is_secret || value.is_secret || value.what != shape::scalar) return "the value ";
    return '"' + value.text.substr(0, longest) + (value.text.size() > longest ? "…\" " : "\" ");
}

// A JSON pointer one step on: `~` and `/` have a spelling of their own.
std::string step(const std::string& pointer, std::string_view key) {
    std::string out = pointer + '/';
    for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

// `given`: as it is written; `key`: its first name.
place inside(const place& where, const schema& around, const entry& given, std::string_view key) {
    return {given.at, joined(where.path, given.key), where.side, where.is_secret || around.is_secret, step(where.pointer, key)};
}

void collect_scalars(const node& value, std::vector<std::string>& into) {
    if (value.what == shape::scalar && !value.text.empty()) into.push_back(value.text);
    for (const node_ptr& item : value.items) collect_scalars(*item, into);
    for (const entry& e : value.entries) collect_scalars(*e.value, into);
}

// scheme://user:password@host
void collect_password(std::string_view text, std::vector<std::string>& into) {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) return;
    std::string_view authority = text.substr(scheme + 3);
    authority = authority.substr(0, authority.find_first_of("/?#"));
    const std::size_t at = authority.rfind('@');
    if (at == std::string_view::npos) return;
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = user.find(':');
    const std::string_view password = colon == std::string_view::npos ? user : user.substr(colon + 1);
    if (!password.empty()) into.emplace_back(password);
}

std::string number_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", number);
    return text;
}

bool fits_64_bits(std::string_view integer) {
    errno = 0;
    if (integer.starts_with('-')) {
        (void)std::strtoll(std::string{integer}.c_str(), nullptr, 10);
    } else {
        (void)std::strtoull(std::string{integer}.c_str(), nullptr, 10);
    }
    return errno == 0;
}

}  // namespace

std::string free_json(const node& value) {
    std::string out;
    switch (value.what) {
        case shape::null: return "null";
        case shape::scalar:
            if (value.is_quoted) return json_string(value.text);
            return value.text == "true" || value.text == "false" || is_json_number(value.text) ? value.text : json_string(value.text);
        case shape::list:
            for (const node_ptr& item : value.items) append(out, free_json(*item));
            return '[' + out + ']';
        case shape::map:
            for (const entry& e : value.entries) append(out, member(e.key, free_json(*e.value)));
            return '{' + out + '}';
    }
    return "null";
}

std::string validation::check(const node& value, const schema& against, const place& where) {
    if ((against.sides & where.side) == 0) to_.error(where.at, where.path, against.sides == 1 ? "only for an input" : "only for an output");
    if (against.is_secret) collect_scalars(value, secrets_);
    if (against.is_deprecated) to_.warning(where.at, where.path, "deprecated");
    if (against.is_endpoint) {
        nested_.push_back({where.pointer, std::make_shared<const node>(value), where.at, where.path, against.endpoint_side});
        return "null";
    }
    if (against.is_store) {
        to_.error(where.at, where.path, "a store is not supported by this version");
        return "null";
    }
    if (against.is_template && value.what == shape::scalar && !is_template(value, against, where)) return "null";
    switch (value.what) {
        case shape::null: return against.takes(is_null) ? "null" : wrong_type(value, against, where);
        case shape::map:
            if (!against.takes(is_object)) return wrong_type(value, against, where);
            return against.types == 0 && against.takes_others && !against.others ? free_json(value) : object(value, against, where);
        case shape::list: return against.takes(is_array) ? array(value, against, where) : wrong_type(value, against, where);
        case shape::scalar: return scalar(value, against, where);
    }
    return "null";
}

bool validation::is_template(const node& value, const schema& against, const place& where) {
    using core::templates::escaping;
    const auto made = core::templates::compile(value.text, against.is_path_template ? escaping::path : escaping::none);
    if (made) return true;
    if (to_.repeat_error(value.at, where.path)) return false;  // its variables: it is as it was written
    const bool is_secret = against.is_secret || where.is_secret || value.is_secret;
    to_.error(value.at, where.path, made.error().text, is_secret ? std::string{} : core::expressions::excerpt(value.text, made.error()));
    return false;
}

std::string validation::defaults(const schema& against, const place& where) {
    node nothing;
    nothing.at = where.at;
    if (!against.takes(is_object) || against.is_endpoint) return check(nothing, against, where);
    nothing.what = shape::map;
    return check(nothing, against, where);
}

// Null for a key means that nothing is said about it, unless null is a value there.
const entry* validation::pick(const node& value, const property& wanted, const place& where) {
    const entry* given = nullptr;
    for (const entry& e : value.entries) {
        const std::vector<std::string>& aliases = wanted.what.aliases;
        if (e.key != wanted.name && std::find(aliases.begin(), aliases.end(), e.key) == aliases.end()) continue;
        if (given) to_.error(e.at, joined(where.path, e.key), "the same as \"" + given->key + "\", which is here too");
        given = &e;
    }
    const bool null_says_nothing = (wanted.what.types & is_null) == 0 && !wanted.what.is_endpoint;
    return given && given->value->what == shape::null && null_says_nothing ? nullptr : given;
}

std::string validation::object(const node& value, const schema& against, const place& where) {
    std::string out;
    for (const property& p : against.properties) {
        if (const entry* given = pick(value, p, where)) {
            append(out, member(p.name, check(*given->value, p.what, inside(where, against, *given, p.name))));
        } else if (p.is_required) {
            to_.error(where.at, joined(where.path, p.name), "missing");
        } else if (p.what.standard && (p.what.sides & where.side) != 0 && !p.what.is_endpoint) {
            append(out, member(p.name, *p.what.standard));
        }
    }
    for (const entry& e : value.entries) {
        if (against.find(e.key)) continue;
        if (!against.takes_others) {
            unknown_key(e, against, where);
        } else {
            append(out, member(e.key,
                               against.others ? check(*e.value, *against.others, inside(where, against, e, e.key)) : free_json(*e.value)));
        }
    }
    return '{' + out + '}';
}

void validation::unknown_key(const entry& given, const schema& against, const place& where) {
    const std::vector<std::string> names = against.names();
    std::string text = "unknown key" + did_you_mean(given.key, names);
    if (!text.ends_with(')')) text += names.empty() ? "; none is known here" : "; known are " + listed(names);
    to_.error(given.at, joined(where.path, given.key), std::move(text));
}

std::string validation::array(const node& value, const schema& against, const place& where) {
    std::string out;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        const node& item = *value.items[i];
        const place at{item.at, where.path + '[' + std::to_string(i) + ']', where.side, where.is_secret || against.is_secret,
                       step(where.pointer, std::to_string(i))};
        append(out, against.items ? check(item, *against.items, at) : free_json(item));
    }
    return '[' + out + ']';
}

std::string validation::scalar(const node& value, const schema& against, const place& where) {
    collect_password(value.text, secrets_);
    if (std::string fault = fault_in_name(value.text); !fault.empty() && (!against.uri.empty() || !against.exclusive.empty())) {
        to_.error(value.at, where.path, std::move(fault));
        return "null";
    }
    if (!against.exclusive.empty()) exclusive_.push_back({value.text, against.exclusive, value.at, where.path});
    if (!against.choices.empty() && std::find(against.choices.begin(), against.choices.end(), value.text) == against.choices.end()) {
        std::string text = shown(value, against, where) + "is not known here" + did_you_mean(value.text, against.choices);
        if (!text.ends_with(')')) text += "; known are " + listed(against.choices);
        to_.error(value.at, where.path, std::move(text));
        return "null";
    }
    return typed(value, against, where);
}

// A text that is quoted still counts as a number where only a number makes sense; the reverse holds too.
std::string validation::typed(const node& value, const schema& against, const place& where) {
    if (against.is_size) {
        const auto bytes = read_size(value.text);
        if (bytes) return is_within_bounds(static_cast<double>(*bytes), against, value.at, where) ? std::to_string(*bytes) : "null";
        to_.error(value.at, where.path,
                  shown(value, against, where) + "is not a size: a number of bytes, or one with k, M, G, KiB, MiB or GiB");
        return "null";
    }
    if (against.types == 0) return free_json(value);
    const bool may_be_other = !value.is_quoted || !against.takes(is_string);
    if (may_be_other && against.takes(is_bool) && read_bool(value.text)) return *read_bool(value.text) ? "true" : "false";
    if (may_be_other && (against.types & (is_integer | is_number)) != 0) {
        const bool is_one = (against.types & is_number) != 0 ? is_json_number(value.text) : is_json_integer(value.text);
        if (is_one) return number(value, against, where);
    }
    if (!against.takes(is_string)) return wrong_type(value, against, where);
    if (value.text.size() < against.shortest) {
        to_.error(value.at, where.path, against.shortest == 1 ? "is empty" : "is shorter than " + std::to_string(against.shortest));
        return "null";
    }
    return json_string(value.text);
}

bool validation::is_within_bounds(double about, const schema& against, position at, const place& where) {
    if (against.minimum && about < *against.minimum) {
        to_.error(at, where.path, "has to be at least " + number_text(*against.minimum));
        return false;
    }
    if (against.maximum && about > *against.maximum) {
        to_.error(at, where.path, "has to be at most " + number_text(*against.maximum));
        return false;
    }
    return true;
}

// The text stays as it was written, so that no digit is lost where a number fits no type of ours.
std::string validation::number(const node& value, const schema& against, const place& where) {
    if (!is_within_bounds(std::strtod(value.text.c_str(), nullptr), against, value.at, where)) return "null";
    if ((against.types & is_number) != 0 || fits_64_bits(value.text)) return value.text;
    to_.error(value.at, where.path, "does not fit 64 bits");
    return "null";
}

std::string validation::wrong_type(const node& value, const schema& against, const place& where) {
    const char* given = value.what == shape::map    ? "a map "
                        : value.what == shape::list ? "a list "
                        : value.what == shape::null ? "null "
                                                    : "";
    std::string text = *given ? given : shown(value, against, where);
    to_.error(value.what == shape::map || value.what == shape::null ? where.at : value.at, where.path,
              text + "where " + against.type_text() + " is wanted");
    return "null";
}

}  // namespace mqb::config
