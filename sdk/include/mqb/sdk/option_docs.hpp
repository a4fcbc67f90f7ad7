// option_docs: the options of a configuration as a table in Markdown.
#pragma once

#include <mqb/sdk/option_schema.hpp>

namespace mqb::sdk {

namespace detail {

template <class Member>
constexpr std::string_view type_name() {
    if constexpr (is_optional<Member>::value)
        return type_name<typename Member::value_type>();
    else if constexpr (is_vector<Member>::value)
        return "list";
    else if constexpr (is_map<Member>::value)
        return "map";
    else if constexpr (has_options<Member>)
        return "block";
    else if constexpr (std::same_as<Member, json_value>)
        return "any";
    else if constexpr (std::same_as<Member, template_field>)
        return "template";
    else if constexpr (std::same_as<Member, path_template>)
        return "text";
    else if constexpr (std::same_as<Member, child_field>)
        return "endpoint";
    else if constexpr (std::same_as<Member, bool>)
        return "bool";
    else if constexpr (std::floating_point<Member>)
        return "number";
    else if constexpr (std::integral<Member>)
        return "int";
    else
        return "text";
}

inline void append_side(std::string& to, const option_traits& one) {
    to += one.side.empty() ? "both" : one.side == "consumer" ? "input" : "output";
}

}  // namespace detail

// One row for each option: | name | type | default | side | meaning |
template <class Config>
std::string docs_table() {
    std::string to = "| Option | Type | Default | Side | Meaning |\n|---|---|---|---|---|\n";
    constexpr auto list = Config::options();
    list.each([&](const auto& one) {
        to += join("| `", one.name, "`");
        for (std::size_t i = 0; i < one.alias_count; ++i) to += join(i ? ", `" : " (also `", one.aliases[i], "`");
        to += one.alias_count ? ") | " : " | ";
        to += one.is_size ? "size" : detail::type_name<typename std::decay_t<decltype(one)>::member_type>();
        to += " | ";
        // As its author wrote it: a size with its unit.
        option_traits shown = one;
        shown.is_size = false;
        char text[256];
        detail::schema_writer counting, out{text};
        detail::write_default(counting, shown);
        if (counting.size == 0 || counting.size > sizeof text) {
            to += one.is_required ? "required" : "–";
        } else {
            detail::write_default(out, shown);
            to += join('`', std::string_view(text, out.size).substr(std::string_view(R"(,"default":)").size()), '`');
        }
        to += " | ";
        detail::append_side(to, one);
        to += join(" | ", one.is_secret ? "Secret. " : "", one.is_deprecated ? "Deprecated. " : "", one.option_traits::doc);
        for (std::size_t i = 0; i < one.value_count; ++i) to += join(i ? ", `" : " One of `", one.values[i].name, "`");
        to += " |\n";
    });
    return to;
}

}  // namespace mqb::sdk
