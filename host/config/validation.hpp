// validation: one value of a route file against its schema; what comes out is JSON with defaults filled in and aliases resolved.
#pragma once

#include "host/config/finding.hpp"
#include "host/config/node.hpp"
#include "host/config/schema.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::config {

// Where the value is, for findings.
struct place {
    position at;  // of the key that names the value
    std::string path;
    std::uint32_t side = 3;    // the sides of an endpoint at which the value stands
    bool is_secret = false;    // something around the value is
    std::string pointer = {};  // JSON pointer of the value in its configuration
};

// An endpoint inside a configuration. In the JSON of that configuration null stands for it.
struct nested_value {
    std::string where;  // JSON pointer
    node_ptr value;
    position at;
    std::string path;
    std::uint32_t side = 0;  // 0: the schema does not say
};

// A name of something that one publisher has to itself.
struct exclusive_value {
    std::string text;
    std::string kind;  // "path", "text"
    position at;
    std::string path;
};

class validation {
public:
    // Secret values that are met are added to `secrets`.
    validation(findings& to, std::vector<std::string>& secrets) : to_(to), secrets_(secrets) {}

    // JSON text; "null" where something was wrong, which has been told then.
    [[nodiscard]] std::string check(const node& value, const schema& against, const place& where);
    // The configuration of which nothing was said: all defaults.
    [[nodiscard]] std::string defaults(const schema& against, const place& where);
    // What was met since the last take.
    [[nodiscard]] std::vector<nested_value> take_nested() { return std::exchange(nested_, {}); }
    [[nodiscard]] std::vector<exclusive_value> take_exclusive() { return std::exchange(exclusive_, {}); }

private:
    std::string object(const node& value, const schema& against, const place& where);
    std::string array(const node& value, const schema& against, const place& where);
    std::string scalar(const node& value, const schema& against, const place& where);
    // False: the mistake was told.
    bool is_template(const node& value, const schema& against, const place& where);
    std::string typed(const node& value, const schema& against, const place& where);
    bool is_within_bounds(double about, const schema& against, position at, const place& where);
    std::string number(const node& value, const schema& against, const place& where);
    std::string wrong_type(const node& value, const schema& against, const place& where);
    void unknown_key(const entry& given, const schema& against, const place& where);
    const entry* pick(const node& value, const property& wanted, const place& where);

    findings& to_;
    std::vector<std::string>& secrets_;
    std::vector<nested_value> nested_;
    std::vector<exclusive_value> exclusive_;
};

// Without a schema: plain words of JSON are what they are in JSON, everything else is text.
[[nodiscard]] std::string free_json(const node& value);

}  // namespace mqb::config
