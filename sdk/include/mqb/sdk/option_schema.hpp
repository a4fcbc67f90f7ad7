// option_schema: the JSON Schema of a configuration, made by the compiler.
//
// Keywords that are emitted, all that a validator has to know:
//   type                  one of "boolean", "integer", "number", "string", "array", "object"
//   properties            of an object with options
//   additionalProperties  false for an object with options; a schema for a map of names to values
//   required              list of names
//   items                 one schema, of an array
//   enum                  list of texts
//   minimum, maximum      of a number; minimum 0 for unsigned members, and the range of narrow ones
//   minLength             of a string, in bytes
//   default, description
//   deprecated            true
//   x-mqb-secret          true: never shown; a schema of any type
//   x-mqb-aliases         other names of the property; the host writes the value under the first name
//   x-mqb-uri             "authority" | "path" | "query" | "driver"
//   x-mqb-uri-default     a text: the value in a URI that does not give one
//   x-mqb-exclusive       "path": the value names a file that one publisher has to itself
//   x-mqb-size            true, with type integer: also text with k, M, G, KiB, MiB, GiB; the host writes the number
//   x-mqb-template        true, with type string: the host writes a number for `render`; "path": only where the text has tokens
//   x-mqb-endpoint        "consumer" | "publisher": the value is a nested endpoint, in the form that the host defines
//   x-mqb-store           true: the value is a nested store
//   x-mqb-sides           ["consumer"] | ["publisher"]: the other side does not have this option
// An option of a json_value has whatever its author wrote with schema(). The value null means that the option is not given; it
// is an error where the option is required.
#pragma once

#include <mqb/sdk/option.hpp>

#include <limits>

namespace mqb::sdk {

namespace detail {

// Writes text at compile time; without room it only counts.
struct schema_writer {
    char* to = nullptr;
    std::size_t size = 0;

    constexpr void put(std::string_view text) {
        if (to)
            for (std::size_t i = 0; i < text.size(); ++i) to[size + i] = text[i];
        size += text.size();
    }
    constexpr void put(char c) {
        if (to) to[size] = c;
        ++size;
    }
    constexpr void quoted(std::string_view text) {
        put('"');
        for (const char c : text) {
            if (c == '"' || c == '\\')
                put('\\'), put(c);
            else if (c == '\n')
                put("\\n");
            else
                put(c);
        }
        put('"');
    }
    constexpr void number(std::uint64_t value) {
        char digits[20] = {};
        int count = 0;
        do digits[count++] = static_cast<char>('0' + value % 10);
        while (value /= 10);
        while (count) put(digits[--count]);
    }
    constexpr void number(std::int64_t value) {
        if (value < 0) put('-');
        number(value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value));
    }
    // With as many of six decimals as are not zero: enough for what people write into a schema.
    constexpr void number(double value) {
        if (value < 0) put('-'), value = -value;
        const std::uint64_t whole = static_cast<std::uint64_t>(value);
        std::uint64_t rest = static_cast<std::uint64_t>((value - static_cast<double>(whole)) * 1e6 + 0.5);
        number(whole);
        if (rest == 0) return;
        put('.');
        for (std::uint64_t unit = 100000; rest; rest %= unit, unit /= 10) put(static_cast<char>('0' + rest / unit));
    }
};

template <class Config>
constexpr void write_object(schema_writer& out);

template <class Member>
constexpr void write_value(schema_writer& out, const option_traits& traits);

template <class Member>
constexpr void write_type(schema_writer& out, const option_traits& traits) {
    if constexpr (is_vector<Member>::value) {
        out.put(R"("type":"array","items":{)");
        write_value<typename Member::value_type>(out, traits);
        out.put('}');
    } else if constexpr (is_map<Member>::value) {
        out.put(R"("type":"object","additionalProperties":{)");
        write_value<typename Member::mapped_type>(out, traits);
        out.put('}');
    } else if constexpr (has_options<Member>) {
        write_object<Member>(out);
    } else if constexpr (std::same_as<Member, json_value>) {
        out.put(traits.schema);
    } else if constexpr (std::same_as<Member, template_field>) {
        out.put(R"("type":"string","x-mqb-template":true)");
    } else if constexpr (std::same_as<Member, path_template>) {
        out.put(R"("type":"string","x-mqb-template":"path")");
    } else if constexpr (std::same_as<Member, child_field>) {
        if (traits.is_store)
            out.put(R"("x-mqb-store":true)");
        else
            out.put(R"("x-mqb-endpoint":)"), out.quoted(traits.endpoint);
    } else if constexpr (std::same_as<Member, bool>) {
        out.put(R"("type":"boolean")");
    } else if constexpr (std::floating_point<Member>) {
        out.put(R"("type":"number")");
    } else if constexpr (std::integral<Member>) {
        out.put(R"("type":"integer")");
    } else {
        static_assert(std::same_as<Member, std::string> || std::is_enum_v<Member>, "a member type that options cannot describe");
        out.put(R"("type":"string")");
    }
}

// The range of a value, beside its type.
template <class Member>
constexpr void write_range(schema_writer& out, const option_traits& traits) {
    constexpr bool narrow = std::integral<Member> && !std::same_as<Member, bool> && sizeof(Member) < 8;
    if (traits.has_minimum)
        out.put(R"(,"minimum":)"), out.number(traits.minimum);
    else if constexpr (std::unsigned_integral<Member> && !std::same_as<Member, bool>)
        out.put(R"(,"minimum":0)");
    else if constexpr (narrow)
        out.put(R"(,"minimum":)"), out.number(std::int64_t{std::numeric_limits<Member>::min()});
    if (traits.has_maximum)
        out.put(R"(,"maximum":)"), out.number(traits.maximum);
    else if constexpr (narrow)
        out.put(R"(,"maximum":)"), out.number(std::int64_t{std::numeric_limits<Member>::max()});
}

// What may be said of a value; of a list and a map it is said of what is in them.
template <class Member>
constexpr void write_value(schema_writer& out, const option_traits& traits) {
    if constexpr (is_optional<Member>::value) {
        write_value<typename Member::value_type>(out, traits);
    } else {
        write_type<Member>(out, traits);
        if constexpr (is_vector<Member>::value || is_map<Member>::value) return;
        write_range<Member>(out, traits);
        if (traits.has_min_length) out.put(R"(,"minLength":)"), out.number(traits.min_length);
        if (traits.value_count == 0) return;
        out.put(R"(,"enum":[)");
        for (std::size_t i = 0; i < traits.value_count; ++i) out.put(i ? "," : ""), out.quoted(traits.values[i].name);
        out.put(']');
    }
}

constexpr void write_default(schema_writer& out, const option_traits& traits) {
    if (traits.has_default == option_traits::default_kind::none) return;
    out.put(R"(,"default":)");
    switch (traits.has_default) {
        case option_traits::default_kind::boolean: out.put(traits.default_boolean ? "true" : "false"); break;
        case option_traits::default_kind::integer: out.number(traits.default_integer); break;
        case option_traits::default_kind::unsigned_integer: out.number(traits.default_unsigned); break;
        case option_traits::default_kind::real: out.number(traits.default_real); break;
        case option_traits::default_kind::text:
            if (traits.is_size)
                out.number(size_of(traits.default_text).value());
            else
                out.quoted(traits.default_text);
            break;
        default: out.put(traits.default_text); break;
    }
}

template <class Member>
constexpr void write_option(schema_writer& out, const option_traits& traits) {
    out.quoted(traits.name);
    out.put(":{");
    const std::size_t from = out.size;
    const auto comma = [&] {
        if (out.size != from) out.put(',');
    };
    write_value<Member>(out, traits);
    write_default(out, traits);
    if (!traits.doc.empty()) comma(), out.put(R"("description":)"), out.quoted(traits.doc);
    if (traits.is_deprecated) comma(), out.put(R"("deprecated":true)");
    if (traits.is_secret) comma(), out.put(R"("x-mqb-secret":true)");
    if (traits.is_size) comma(), out.put(R"("x-mqb-size":true)");
    if (!traits.uri.empty()) comma(), out.put(R"("x-mqb-uri":)"), out.quoted(traits.uri);
    if (!traits.uri_default.empty()) comma(), out.put(R"("x-mqb-uri-default":)"), out.quoted(traits.uri_default);
    if (traits.is_exclusive_path) comma(), out.put(R"("x-mqb-exclusive":"path")");
    if (!traits.side.empty()) comma(), out.put(R"("x-mqb-sides":[)"), out.quoted(traits.side), out.put(']');
    if (traits.alias_count) {
        comma(), out.put(R"("x-mqb-aliases":[)");
        for (std::size_t i = 0; i < traits.alias_count; ++i) out.put(i ? "," : ""), out.quoted(traits.aliases[i]);
        out.put(']');
    }
    out.put('}');
}

template <class Config>
constexpr void write_object(schema_writer& out) {
    out.put(R"("type":"object","additionalProperties":false,"properties":{)");
    bool first = true, any_required = false;
    constexpr auto list = Config::options();
    list.each([&](const auto& one) {
        out.put(first ? "" : ",");
        first = false;
        any_required = any_required || one.is_required;
        write_option<typename std::decay_t<decltype(one)>::member_type>(out, one);
    });
    out.put('}');
    if (!any_required) return;
    out.put(R"(,"required":[)");
    first = true;
    list.each([&](const auto& one) {
        if (!one.is_required) return;
        out.put(first ? "" : ",");
        first = false;
        out.quoted(one.name);
    });
    out.put(']');
}

template <class Config>
constexpr std::size_t schema_size() {
    schema_writer counting;
    counting.put('{'), write_object<Config>(counting), counting.put('}');
    return counting.size;
}
template <class Config>
constexpr auto make_schema() {
    std::array<char, schema_size<Config>()> text{};
    schema_writer out{text.data()};
    out.put('{'), write_object<Config>(out), out.put('}');
    return text;
}
template <class Config>
inline constexpr auto schema_storage = make_schema<Config>();

}  // namespace detail

// The schema of a configuration: static, for the factory.
template <class Config>
constexpr std::string_view schema_of() noexcept {
    return {detail::schema_storage<Config>.data(), detail::schema_storage<Config>.size()};
}

}  // namespace mqb::sdk
