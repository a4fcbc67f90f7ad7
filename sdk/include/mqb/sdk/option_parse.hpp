// option_parse: JSON text to a configuration struct, by its options. What the host has normalised is accepted as well as what a
// person wrote: aliases, sizes as text, missing defaults.
#pragma once

#include <mqb/sdk/option.hpp>

namespace mqb::sdk {

namespace detail {

// The path of a value as a JSON pointer, which is also how errors name it.
inline std::string pointer_to(const std::string& parent, std::string_view key) {
    std::string to = parent + '/';
    for (const char c : key) {
        if (c == '~')
            to += "~0";
        else if (c == '/')
            to += "~1";
        else
            to += c;
    }
    return to;
}

[[noreturn]] inline void wrong(const std::string& path, std::string_view what) {
    throw bad_config(path.empty() ? std::string_view("configuration") : std::string_view(path).substr(1), ": ", what);
}
[[noreturn]] inline void wrong_kind(const std::string& path, std::string_view wanted, const json_value& value) {
    wrong(path, join(wanted, " was expected, not ", std::string_view(name_of(value.kind))));
}

template <class Config>
void parse_object(Config& to, const json_value& from, const std::string& path);

template <class Number>
void check_range(Number number, const option_traits& traits, const std::string& path) {
    if (traits.has_minimum && static_cast<double>(number) < traits.minimum) wrong(path, join("less than ", traits.minimum));
    if (traits.has_maximum && static_cast<double>(number) > traits.maximum) wrong(path, join("more than ", traits.maximum));
}

template <class Member>
void parse_member(Member& to, const json_value& from, const option_traits& traits, const std::string& path) {
    if constexpr (is_optional<Member>::value) {
        parse_member(to.emplace(), from, traits, path);
    } else if constexpr (is_vector<Member>::value) {
        if (!from.is(json_kind::array)) wrong_kind(path, "an array", from);
        to.clear();
        for (std::size_t i = 0; i < from.items.size(); ++i)
            parse_member(to.emplace_back(), from.items[i], traits, path + '/' + std::to_string(i));
    } else if constexpr (is_map<Member>::value) {
        if (!from.is(json_kind::object)) wrong_kind(path, "an object", from);
        to.clear();
        for (const json_member& member : from.members) parse_member(to[member.name], member.value, traits, pointer_to(path, member.name));
    } else if constexpr (has_options<Member>) {
        parse_object(to, from, path);
    } else if constexpr (std::same_as<Member, json_value>) {
        to = from;
    } else if constexpr (std::same_as<Member, template_field>) {
        to.number = from.as_integer<std::uint32_t>();
        if (!to.number) wrong(path, "the host gives the number of a template here");
    } else if constexpr (std::same_as<Member, path_template>) {
        to.clear();
        to.number = from.as_integer<std::uint32_t>();
        if (!to.number) parse_member(static_cast<std::string&>(to), from, traits, path);
    } else if constexpr (std::same_as<Member, child_field>) {
        to.path = path;
    } else if constexpr (std::same_as<Member, bool>) {
        if (!from.is(json_kind::boolean)) wrong_kind(path, "a boolean", from);
        to = from.boolean;
    } else if constexpr (std::floating_point<Member>) {
        const auto number = from.as_double();
        if (!number) wrong_kind(path, "a number", from);
        check_range(to = static_cast<Member>(*number), traits, path);
    } else if constexpr (std::integral<Member>) {
        auto number = from.as_integer<Member>();
        if (!number && traits.is_size && from.is(json_kind::text))
            if (const auto size = size_of(from.text); size && *size <= std::uint64_t(std::numeric_limits<Member>::max()))
                number = static_cast<Member>(*size);
        if (!number) wrong(path, from.is(json_kind::number) ? "a whole number in range was expected" : "a number was expected");
        check_range(to = *number, traits, path);
    } else {
        if (!from.is(json_kind::text)) wrong_kind(path, "text", from);
        if (traits.has_min_length && from.text.size() < traits.min_length) wrong(path, "too short");
        const option_traits::named_value* known = nullptr;
        for (std::size_t i = 0; i < traits.value_count; ++i)
            if (traits.values[i].name == from.text) known = &traits.values[i];
        if (traits.value_count && !known) wrong(path, join("\"", from.text, "\" is not one of its values"));
        if constexpr (std::is_enum_v<Member>)
            to = static_cast<Member>(known ? known->value : 0);
        else
            to = from.text;
    }
}

template <class Member>
void set_default(Member& to, const option_traits& traits, const std::string& path) {
    json_value value;
    switch (traits.has_default) {
        case option_traits::default_kind::none:
            // A block that is not given has the defaults of its own options.
            if constexpr (has_options<Member>)
                Member::options().each([&](const auto& one) { set_default(to.*one.member, one, pointer_to(path, one.name)); });
            return;
        case option_traits::default_kind::boolean: value.kind = json_kind::boolean, value.boolean = traits.default_boolean; break;
        case option_traits::default_kind::integer:
            value.kind = json_kind::number, value.text = std::to_string(traits.default_integer);
            break;
        case option_traits::default_kind::unsigned_integer:
            value.kind = json_kind::number, value.text = std::to_string(traits.default_unsigned);
            break;
        case option_traits::default_kind::real: value.kind = json_kind::number, value.text = join(traits.default_real); break;
        case option_traits::default_kind::text: value.kind = json_kind::text, value.text = traits.default_text; break;
        case option_traits::default_kind::json: value = parse_json(traits.default_text); break;
    }
    parse_member(to, value, traits, path);
}

inline bool is_called(const option_traits& traits, std::string_view key) noexcept {
    if (traits.name == key) return true;
    for (std::size_t i = 0; i < traits.alias_count; ++i)
        if (traits.aliases[i] == key) return true;
    return false;
}

template <class Config>
void parse_object(Config& to, const json_value& from, const std::string& path) {
    if (!from.is(json_kind::object)) wrong_kind(path, "an object", from);
    constexpr auto list = Config::options();
    for (const json_member& member : from.members) {
        bool known = false;
        list.each([&](const auto& one) { known = known || is_called(one, member.name); });
        if (!known) wrong(pointer_to(path, member.name), "unknown key");
    }
    list.each([&](const auto& one) {
        // The name itself wins over its aliases, and the aliases have their order.
        const json_value* value = from.find(one.name);
        for (std::size_t i = 0; i < one.alias_count && !value; ++i) value = from.find(one.aliases[i]);
        const std::string here = pointer_to(path, one.name);
        // What is nested stands as null where it is.
        constexpr bool is_child = std::same_as<std::remove_cvref_t<decltype(to.*one.member)>, child_field>;
        if (value && (is_child || !value->is(json_kind::null))) return parse_member(to.*one.member, *value, one, here);
        if (one.is_required) wrong(here, "required");
        set_default(to.*one.member, one, here);
    });
}

template <class Config>
concept checks_itself = requires(const Config& config) {
    config.check(std::uint32_t{});
};

}  // namespace detail

// The configuration in `json`, with its defaults. Throws failure with bad_config and the path of what is wrong.
template <class Config>
Config parse_config(std::string_view json, std::uint32_t side = 0) {
    Config config{};
    try {
        detail::parse_object(config, parse_json(json.empty() ? std::string_view("{}") : json), "");
    } catch (const json_error& thrown) { throw bad_config("configuration: ", std::string_view(thrown.what())); }
    if constexpr (detail::checks_itself<Config>) config.check(side);
    return config;
}

}  // namespace mqb::sdk
