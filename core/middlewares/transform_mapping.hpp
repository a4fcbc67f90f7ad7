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
    // Output keys, with dots for nested objects, to a path or {path, default, required}. The failure is one of the configuration.
    [[nodiscard]] static result<transform_mapping> read(const json_view& fields);

    // The document with the mapped fields alone, its keys sorted, behind `to`. Throws transform_failure.
    void write(const expressions::json_document& from, expressions::arena& memory, std::string& to) const;

private:
    using step = std::variant<std::string, std::uint64_t>;
    struct field {
        std::string path;         // as it is written
        std::vector<step> steps;  // none: the whole document
        std::string standard;     // JSON; empty: there is none
        bool is_required = false;
    };
    // An object of the new document, or a field of it.
    struct node {
        std::map<std::string, node> members;
        int field = -1;
    };
    [[nodiscard]] static result<field> read_field(const json_view& what);
    bool write(const node& n, const expressions::json_document& from, expressions::arena& memory, std::string& to) const;
    bool write(const field& f, const expressions::json_document& from, expressions::arena& memory, std::string& to) const;

    std::vector<field> fields_;
    node top_;
};

}  // namespace mqb::core
