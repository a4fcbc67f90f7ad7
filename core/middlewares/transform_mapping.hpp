// transform_mapping: a new document made of fields of another one.
#pragma once

#include "core/expressions/json_document.hpp"
#include "core/middlewares/json_view.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace mqb::core {

class transform_mapping {
public:
    transform_mapping(transform_mapping&&) = default;
    transform_mapping& operator=(transform_mapping&&) = default;

    // Output keys, with dots for nested objects, to a path or {path, default, required}. The failure is one of the configuration.
    [[nodiscard]] static result<transform_mapping> read(const json_view& fields);

    // The document with the mapped fields alone, its keys sorted, behind `to`. Throws transform_failure.
    void write(const expressions::json_document& from, expressions::arena& memory, std::string& to) const;

private:
    transform_mapping() = default;

    using step = std::variant<std::string, std::uint64_t>;
    struct field {
        std::string path;         // as it is written
        std::vector<step> steps;  // none: the whole document
        std::string standard;     // JSON; empty: there is none
        bool is_required = false;
    };
    // While it is read: an object of the new document, or a field of it.
    struct branch {
        std::map<std::string, branch> members;
        int field = -1;
    };
    // The same, ready to be written.
    struct node {
        std::string key;  // as it stands behind another member, with comma, quotes and colon
        std::vector<node> members;
        const field* what = nullptr;
    };
    [[nodiscard]] static result<field> read_field(const json_view& what);
    void prepare(const branch& from, node& to) const;
    bool write(const node& n, const expressions::json_document& from, expressions::arena& memory, std::string& to) const;
    bool write(const field& f, const expressions::json_document& from, expressions::arena& memory, std::string& to) const;

    std::vector<field> fields_;  // complete before a node points into it
    node top_;
};

}  // namespace mqb::core
