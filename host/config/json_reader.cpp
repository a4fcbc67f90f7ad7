#include "host/config/json_reader.hpp"

#include "host/config/scalar.hpp"

#include <simdjson.h>

#include <algorithm>

namespace mqb::config {

namespace {

namespace ondemand = simdjson::ondemand;

// Walks the text once; the parser gives the place of each token in its own copy of it.
class walk {
public:
    walk(const simdjson::padded_string& text, tree_builder& to) : text_(text), to_(to) {}

    void all() {
        ondemand::parser parser;
        ondemand::document document;
        check(parser.iterate(text_).get(document));
        ondemand::value root;
        const simdjson::error_code what = document.get_value().get(root);
        if (what == simdjson::SCALAR_DOCUMENT_AS_VALUE) throw unreadable({1, 1}, "a route file is a map");
        check(what);
        value(root);
        if (document.current_location().error() == simdjson::SUCCESS) fail("more than one value");
    }

private:
    void value(ondemand::value from) {
        const std::string_view token = from.raw_json_token();
        last_ = token.data();
        ondemand::json_type type{};
        check(from.type().get(type));
        const position at = place(last_);
        switch (type) {
            case ondemand::json_type::object: return object(from, at);
            case ondemand::json_type::array: return array(from, at);
            case ondemand::json_type::string: {
                std::string_view text;
                check(from.get_string().get(text));
                return to_.scalar(at, text, true);
            }
            default: return word(from, token.substr(0, token.find_last_not_of(" \t\r\n") + 1), at);
        }
    }
    void object(ondemand::value& from, position at) {
        ondemand::object object;
        check(from.get_object().get(object));
        to_.start_map(at);
        for (auto field : object) {
            ondemand::raw_json_string key;
            check(field.key().get(key));
            last_ = key.raw() - 1;
            const position key_at = place(last_);
            std::string_view name;
            check(field.unescaped_key().get(name));
            to_.scalar(key_at, name, true);
            ondemand::value inner;
            check(field.value().get(inner));
            value(inner);
        }
        to_.end();
    }
    void array(ondemand::value& from, position at) {
        ondemand::array array;
        check(from.get_array().get(array));
        to_.start_list(at);
        for (auto item : array) {
            ondemand::value inner;
            check(item.get(inner));
            value(inner);
        }
        to_.end();
    }
    // A number keeps its text: which type it has, the schema says.
    void word(ondemand::value& from, std::string_view token, position at) {
        if (token == "null") {
            check(from.is_null() ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR);
            return to_.null(at);
        }
        if (token == "true" || token == "false") {
            bool ignored = false;
            check(from.get_bool().get(ignored));
        } else {
            if (!is_json_number(token)) fail("not a JSON value");
            // The value is consumed by asking for it as what it is; its size does not matter here.
            const simdjson::error_code what = from.get_double().error();
            if (what != simdjson::SUCCESS && what != simdjson::NUMBER_ERROR) check(what);
        }
        to_.scalar(at, token, false);
    }

    void check(simdjson::error_code what) const {
        if (what != simdjson::SUCCESS) fail(simdjson::error_message(what));
    }
    [[noreturn]] void fail(const std::string& text) const { throw unreadable(last_ ? place(last_) : position{1, 1}, "JSON: " + text); }
    // Tokens come in the order of the text, so lines are counted on from the last one.
    position place(const char* at) const {
        const char* begin = text_.data();
        if (at < counted_to_ || !counted_to_) {
            counted_to_ = line_start_ = begin;
            line_ = 1;
        }
        for (; counted_to_ < at; ++counted_to_)
            if (*counted_to_ == '\n') {
                ++line_;
                line_start_ = counted_to_ + 1;
            }
        return {line_, static_cast<std::uint32_t>(at - line_start_ + 1)};
    }

    const simdjson::padded_string& text_;
    tree_builder& to_;
    const char* last_ = nullptr;
    mutable const char* counted_to_ = nullptr;
    mutable const char* line_start_ = nullptr;
    mutable std::uint32_t line_ = 1;
};

}  // namespace

void read_json(const std::string& text, tree_builder& to) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return to.null({1, 1});
    const simdjson::padded_string padded{text};
    walk{padded, to}.all();
}

}  // namespace mqb::config
