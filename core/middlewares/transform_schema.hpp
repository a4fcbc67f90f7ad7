// transform_schema: checks a document against a JSON Schema, coerces what is written another way, and adds defaults.
#pragma once

#include "core/expressions/json_document.hpp"
#include "core/middlewares/json_view.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mqb::core {

// What has nothing to be changed in it is copied from the document as it stands there.
//
// Keywords: type (one or a list), nullable, properties, required, default, items, enum, contentMediaType "application/json",
// contentSchema. Others say nothing. One thread.
class transform_schema {
public:
    struct options {
        bool coerces = true;
        bool adds_defaults = true;
        bool empty_is_null = false;
    };
    // The failure is one of the configuration, and names the place in the schema.
    [[nodiscard]] static result<std::unique_ptr<transform_schema>> read(const json_view& schema, options how);

    // Gives back what a very long text needed.
    void shrink();
    // True: the document is not as it was, and the new one is behind `to`. Throws transform_failure.
    bool write(const expressions::json_document& from, expressions::arena& memory, std::string& to);

private:
    enum type : std::uint32_t { is_null = 1, is_bool = 2, is_integer = 4, is_number = 8, is_string = 16, is_list = 32, is_object = 64 };
    struct rule;
    struct property;
    // A value of `enum`.
    struct choice {
        std::string text;
        expressions::json_document document;
    };
    struct rule {
        std::uint32_t types = 0;  // 0: any
        std::vector<property> properties;
        std::shared_ptr<const rule> items;
        std::vector<std::unique_ptr<choice>> choices;
        std::string choices_text;   // as JSON; empty: there are none
        bool is_json = false;       // a text that holds JSON
        bool asks_for_all = false;  // some property is required, or has a default
        std::shared_ptr<const rule> content;

        [[nodiscard]] bool says_nothing() const noexcept {
            return types == 0 && properties.empty() && !items && choices_text.empty() && !is_json;
        }
    };
    struct property {
        std::string name;
        std::shared_ptr<const rule> what;  // null: anything
        std::string standard;              // JSON; empty: there is none
        bool is_required = false;
    };
    // Where a value stands: a member or an element of the one above.
    struct place {
        const place* up = nullptr;
        std::string_view key;
        std::size_t index = 0;
        std::uint32_t depth = 0;
        [[nodiscard]] std::string text() const;
    };
    // A document on its way: what stands in front of `copied` is behind `to`.
    struct writing {
        const expressions::json_document& from;
        expressions::arena& memory;
        std::string& to;
        const char* copied;

        void copy_up_to(const char* place) {
            to.append(copied, place);
            copied = place;
        }
    };

    [[nodiscard]] static result<std::shared_ptr<const rule>> read_rule(const json_view& schema, const std::string& where);
    [[nodiscard]] static result<std::uint32_t> read_types(const json_view& all, const std::string& where);
    void put_document(const rule& r, const expressions::json_document& from, const place& at, expressions::arena& memory, std::string& to);
    void put(const rule& r, std::uint32_t where, const place& at, writing& w);
    void put_value(const rule& r, std::uint32_t where, const place& at, writing& w);
    void put_object(const rule& r, std::uint32_t where, const place& at, writing& w);
    void put_content(const rule& r, const expressions::value& text, const place& at, writing& w);
    // Writes what can be made of the value, or throws.
    void coerce(const rule& r, const expressions::value& v, const place& at, writing& w);
    void check_choices(const rule& r, std::string_view written, const place& at, writing& w);

    std::shared_ptr<const rule> top_;
    options how_;
    bool has_changed_ = false;
    std::vector<std::unique_ptr<expressions::json_document>> inner_;  // for JSON in texts, by how many are open
    std::size_t open_ = 0;
    expressions::json_document written_;
    // A document without the repeated keys of the one that came.
    struct plain_document {
        std::string text;
        expressions::json_document document;
    };
    std::vector<std::unique_ptr<plain_document>> plain_;  // by how many are open
};

}  // namespace mqb::core
