#include "json_check.hpp"

#include <limits>

#include <boost/json/basic_parser_impl.hpp>

namespace mqb::file {
namespace {

namespace json = boost::json;

// Hears every part of the text and remembers nothing.
struct deaf {
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

    using error = json::error_code;
    bool on_document_begin(error&) { return true; }
    bool on_document_end(error&) { return true; }
    bool on_array_begin(error&) { return true; }
    bool on_array_end(std::size_t, error&) { return true; }
    bool on_object_begin(error&) { return true; }
    bool on_object_end(std::size_t, error&) { return true; }
    bool on_string_part(json::string_view, std::size_t, error&) { return true; }
    bool on_string(json::string_view, std::size_t, error&) { return true; }
    bool on_key_part(json::string_view, std::size_t, error&) { return true; }
    bool on_key(json::string_view, std::size_t, error&) { return true; }
    bool on_number_part(json::string_view, error&) { return true; }
    bool on_int64(std::int64_t, json::string_view, error&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, error&) { return true; }
    bool on_double(double, json::string_view, error&) { return true; }
    bool on_bool(bool, error&) { return true; }
    bool on_null(error&) { return true; }
    bool on_comment_part(json::string_view, error&) { return true; }
    bool on_comment(json::string_view, error&) { return true; }
};

json::parse_options options() {
    json::parse_options chosen;
    chosen.max_depth = 512;
    return chosen;
}

}  // namespace

struct json_check::parser {
    // A text that ends where the parser begins is taken for one that is cut: its own address is the parser's mark for that. So the
    // byte before it is ours.
    char apart = 0;
    json::basic_parser<deaf> basic{options()};
};

json_check::json_check() : parser_(std::make_unique<parser>()) {}
json_check::~json_check() = default;

bool json_check::is_json(std::string_view text) {
    json::error_code error;
    parser_->basic.reset();
    return parser_->basic.write_some(false, text.data(), text.size(), error) == text.size() && !error;
}

}  // namespace mqb::file
