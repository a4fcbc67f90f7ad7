// option: how a configuration says, once, what it accepts: the list from which schema, parser and documentation come.
//
//   struct config {
//       std::string path;
//       std::uint64_t limit;
//       static constexpr auto options() {
//           return mqb::sdk::options(
//               mqb::sdk::option("path", &config::path).required().uri_path().doc("The file to read."),
//               mqb::sdk::option("limit", &config::limit).by_default(1 << 20).size().at_least(1).doc("Longest record."));
//       }
//       void check(std::uint32_t side) const;   // optional: throws bad_config for what a schema cannot say
//   };
//
// Types of members: bool, integers, double, std::string, enumerations (with value()), structs with options() of their own,
// template_field, path_template, child_field, json_value; and std::optional, std::vector and std::map<std::string, …> of these.
#pragma once

#include <mqb/plugin.h>
#include <mqb/sdk/host.hpp>
#include <mqb/sdk/json.hpp>

#include <array>
#include <map>
#include <tuple>

namespace mqb::sdk {

// A nested endpoint, store or inner side in the configuration: where it stands, as the host names its children.
struct child_field {
    std::string path;  // a JSON pointer; empty: not configured
    explicit operator bool() const noexcept { return !path.empty(); }
};

// Everything about an option but its member. Plain data, so that it can be built at compile time.
struct option_traits {
    enum class default_kind : std::uint8_t { none, boolean, integer, unsigned_integer, real, text, json };
    struct named_value {
        std::string_view name;
        std::int64_t value = 0;
    };
    static constexpr std::size_t most_values = 24, most_aliases = 6;

    std::string_view name, doc, uri, uri_default, endpoint, side, schema;
    default_kind has_default = default_kind::none;
    bool default_boolean = false;
    std::int64_t default_integer = 0;
    std::uint64_t default_unsigned = 0;
    double default_real = 0;
    std::string_view default_text;  // text, or JSON for json
    bool is_required = false, is_secret = false, is_deprecated = false, is_size = false, is_store = false, is_exclusive_path = false;
    bool has_minimum = false, has_maximum = false, has_min_length = false;
    double minimum = 0, maximum = 0;
    std::uint64_t min_length = 0;
    std::array<std::string_view, most_aliases> aliases{};
    std::size_t alias_count = 0;
    std::array<named_value, most_values> values{};
    std::size_t value_count = 0;
};

template <class Struct, class Member>
struct option : option_traits {
    using struct_type = Struct;
    using member_type = Member;
    Member Struct::*member;

    constexpr option(std::string_view key, Member Struct::*where) noexcept : option_traits{}, member(where) { name = key; }

    constexpr option doc(std::string_view text) const {
        return with([&](option& o) { o.option_traits::doc = text; });
    }
    constexpr option required() const {
        return with([](option& o) { o.is_required = true; });
    }
    constexpr option secret() const {
        return with([](option& o) { o.is_secret = true; });
    }
    constexpr option deprecated() const {
        return with([](option& o) { o.is_deprecated = true; });
    }
    constexpr option alias(std::string_view other) const {
        return with([&](option& o) { o.aliases.at(o.alias_count++) = other; });
    }

    constexpr option by_default(bool value) const {
        return with([&](option& o) { o.has_default = default_kind::boolean, o.default_boolean = value; });
    }
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) constexpr option by_default(Integer value) const {
        return with([&](option& o) {
            o.has_default = value < 0 ? default_kind::integer : default_kind::unsigned_integer;
            o.default_integer = static_cast<std::int64_t>(value), o.default_unsigned = static_cast<std::uint64_t>(value);
        });
    }
    constexpr option by_default(double value) const {
        return with([&](option& o) { o.has_default = default_kind::real, o.default_real = value; });
    }
    constexpr option by_default(std::string_view value) const {
        return with([&](option& o) { o.has_default = default_kind::text, o.default_text = value; });
    }
    constexpr option by_default(const char* value) const { return by_default(std::string_view(value)); }
    constexpr option by_default_json(std::string_view value) const {
        return with([&](option& o) { o.has_default = default_kind::json, o.default_text = value; });
    }

    constexpr option at_least(double value) const {
        return with([&](option& o) { o.has_minimum = true, o.minimum = value; });
    }
    constexpr option at_most(double value) const {
        return with([&](option& o) { o.has_maximum = true, o.maximum = value; });
    }
    constexpr option min_length(std::uint64_t size) const {
        return with([&](option& o) { o.has_min_length = true, o.option_traits::min_length = size; });
    }
    constexpr option not_empty() const { return min_length(1); }
    // One of the values that the option may have; for an enumeration together with what it stands for.
    constexpr option value(std::string_view text) const {
        return with([&](option& o) { o.values.at(o.value_count++) = {text, 0}; });
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    constexpr option value(std::string_view text, Enum means) const {
        return with([&](option& o) { o.values.at(o.value_count++) = {text, static_cast<std::int64_t>(means)}; });
    }

    // What part of a URI is this option: its host and port, its path, a parameter, or what the driver gets as it is.
    constexpr option uri_authority() const {
        return with([](option& o) { o.uri = "authority"; });
    }
    constexpr option uri_path() const {
        return with([](option& o) { o.uri = "path"; });
    }
    constexpr option uri_query() const {
        return with([](option& o) { o.uri = "query"; });
    }
    constexpr option uri_driver() const {
        return with([](option& o) { o.uri = "driver"; });
    }

    // What a URI means that says nothing of this option, where that is something else than the default. A text.
    constexpr option by_default_in_uri(std::string_view value) const {
        return with([&](option& o) { o.uri_default = value; });
    }

    // A file that one publisher writes, and nobody else: the host refuses a second one.
    constexpr option exclusive_path() const {
        return with([](option& o) { o.is_exclusive_path = true; });
    }

    // A number of bytes, or text such as "64 MiB" which the host turns into one.
    constexpr option size() const {
        return with([](option& o) { o.is_size = true; });
    }
    constexpr option consumer_only() const {
        return with([](option& o) { o.side = "consumer"; });
    }
    constexpr option publisher_only() const {
        return with([](option& o) { o.side = "publisher"; });
    }
    constexpr option child_consumer() const {
        return with([](option& o) { o.endpoint = "consumer"; });
    }
    constexpr option child_publisher() const {
        return with([](option& o) { o.endpoint = "publisher"; });
    }
    constexpr option child_store() const {
        return with([](option& o) { o.is_store = true; });
    }
    // The members of a schema object for a json_value, such as R"("type":["string","object"])".
    constexpr option schema(std::string_view members) const {
        return with([&](option& o) { o.option_traits::schema = members; });
    }

private:
    template <class Change>
    constexpr option with(Change change) const {
        option copy = *this;
        change(copy);
        return copy;
    }
};

template <class... Options>
struct option_list {
    std::tuple<Options...> all;
    template <class Visit>
    constexpr void each(Visit visit) const {
        std::apply([&](const auto&... one) { (visit(one), ...); }, all);
    }
};

template <class... Options>
constexpr option_list<Options...> options(const Options&... all) {
    return {{all...}};
}

// The configuration of something that has none.
struct no_config {
    static constexpr auto options() { return sdk::options(); }
};

namespace detail {

// 64, "64", "64k", "64 MiB": k, M, G are powers of 1000, KiB, MiB, GiB of 1024.
constexpr std::optional<std::uint64_t> size_of(std::string_view text) noexcept {
    std::uint64_t number = 0;
    std::size_t at = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        const auto digit = static_cast<std::uint64_t>(text[at] - '0');
        if (number > (UINT64_MAX - digit) / 10) return {};
        number = number * 10 + digit;
    }
    if (at == 0) return {};
    std::string_view unit = text.substr(at);
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    constexpr std::pair<std::string_view, std::uint64_t> units[] = {
        {"", 1}, {"k", 1000}, {"M", 1000'000}, {"G", 1000'000'000}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    for (const auto& one : units)
        if (unit == one.first) return number > UINT64_MAX / one.second ? std::nullopt : std::optional(number * one.second);
    return {};
}

template <class T>
concept has_options = requires {
    T::options();
};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};
template <class T>
struct is_map : std::false_type {};
template <class T>
struct is_map<std::map<std::string, T>> : std::true_type {};

}  // namespace detail

}  // namespace mqb::sdk
