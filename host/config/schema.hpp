// schema: the JSON Schema of one configuration, as much of it as mqbridge knows, with its extensions.
//
// Keywords: type, properties, required, default, description, enum, minimum, maximum, minLength, items, additionalProperties,
// deprecated. Extensions: x-mqb-secret, x-mqb-aliases, x-mqb-uri, x-mqb-uri-default, x-mqb-size, x-mqb-template, x-mqb-endpoint, x-mqb-store,
// x-mqb-sides, x-mqb-exclusive. Other keywords say nothing to us.
#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::config {

// Bits, since a value may be of several types.
enum json_type : std::uint32_t { is_null = 1, is_bool = 2, is_integer = 4, is_number = 8, is_string = 16, is_array = 32, is_object = 64 };

struct property;

struct schema {
    std::uint32_t types = 0;  // 0: anything
    std::vector<property> properties;
    std::vector<std::string> required;
    std::optional<std::string> standard;  // `default`, as JSON
    std::string description;
    std::vector<std::string> choices;  // `enum`: texts as they are, others as JSON
    std::optional<double> minimum;
    std::optional<double> maximum;
    std::size_t shortest = 0;  // minLength
    std::shared_ptr<const schema> items;
    bool takes_others = false;             // keys that are no property
    std::shared_ptr<const schema> others;  // what their values have to be; null: anything
    bool is_deprecated = false;
    bool is_secret = false;
    bool is_size = false;
    bool is_template = false;
    bool is_path_template = false;  // one of the path of a file
    bool is_endpoint = false;
    std::uint32_t endpoint_side = 0;  // of a nested endpoint; 0: that of the endpoint around it
    bool is_store = false;
    std::string exclusive;  // "path", "text": how two names of one thing are compared that has one writer; empty: it may have many
    std::string uri;        // the role of the field in a URI
    std::optional<std::string> uri_standard;  // its value in a URI that gives none, where that is not `standard`
    std::uint32_t sides = 3;
    std::vector<std::string> aliases;

    [[nodiscard]] bool takes(std::uint32_t type) const noexcept { return types == 0 || (types & type) != 0; }
    // By name or alias; null if there is none.
    [[nodiscard]] const property* find(std::string_view key) const noexcept;
    [[nodiscard]] std::vector<std::string> names() const;
    // "text", "integer or list": for people.
    [[nodiscard]] std::string type_text() const;
};

struct property {
    std::string name;
    schema what;
    bool is_required = false;
};

// Fails where the text is not a JSON object or a keyword has a value of a wrong type.
[[nodiscard]] core::result<std::shared_ptr<const schema>> read_schema(std::string_view text);

}  // namespace mqb::config
