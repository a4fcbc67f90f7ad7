// uri_reader: makes of a URI the tree that an endpoint of a route file would be. What a part of the URI means for an endpoint stands in
// its schema (x-mqb-uri), so that every plugin has its URIs.
#pragma once

#include "core/nested.hpp"
#include "host/config/finding.hpp"
#include "host/config/node.hpp"
#include "host/config/schema.hpp"
#include "host/uri/uri_text.hpp"

#include <functional>
#include <memory>
#include <string>

namespace mqb::host {

// The schema of a type, or why there is none.
using schema_source = std::function<core::result<std::shared_ptr<const config::schema>>(const std::string& type, bool is_middleware)>;

// Answers null after an error was told.
class uri_reader {
public:
    uri_reader(schema_source schemas, config::findings& to) : schemas_(std::move(schemas)), to_(to) {}

    // `name`: what findings call the URI: "SOURCE". On its side "-" is the standard stream, and only the fields of it have values.
    [[nodiscard]] config::node_ptr read(std::string_view text, const std::string& name, core::side side);

private:
    config::node_ptr endpoint(std::string_view text, std::size_t depth);
    config::node_ptr configuration(const uri_endpoint& from, const std::string& type, const config::schema& against, std::size_t depth);
    bool add_parameters(const uri_parameters& from, const config::schema& against, const std::string& type, std::size_t depth,
                        config::node& into);
    bool put_roles(const uri_endpoint& from, const config::schema& against, const std::string& type, uri_parameters passed_on,
                   config::node& into);
    config::node_ptr value(const std::string& raw, const config::schema& against, const std::string& field, std::size_t depth);
    bool put(config::node& into, const std::string& field, config::node_ptr value, bool is_list);
    [[nodiscard]] config::node_ptr text(std::string value) const;
    [[nodiscard]] config::node_ptr standard_stream() const;
    void complain(std::string text) const;

    schema_source schemas_;
    config::findings& to_;
    core::side side_ = core::consumer_side;  // of the endpoint that is read
    config::position at_;
};

}  // namespace mqb::host
