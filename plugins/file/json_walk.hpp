// Json walk: where the parts of a JSON text lie, without building anything. The text is known to be JSON (json_check); the walk
// relies on that and checks nothing again.
#pragma once

#include <optional>
#include <string_view>

namespace mqb::file {

// Where the string, or the value, ends that begins at `at` in a valid text, which ends at `end`.
const char* behind_json_string(const char* at, const char* end) noexcept;
const char* behind_json_value(const char* at, const char* end) noexcept;

// One member of an object. key: the inside of the string, escapes and all; value: the whole value.
struct json_member {
    std::string_view key;
    std::string_view value;
};

// Walks the members of an object or the elements of an array, which `text` is, perhaps with white space around it.
class json_walk {
public:
    explicit json_walk(std::string_view text) noexcept;
    bool is_object() const noexcept { return open_ == '{'; }
    bool is_array() const noexcept { return open_ == '['; }

    std::optional<json_member> member() noexcept;
    std::optional<std::string_view> element() noexcept;

private:
    void skip_white() noexcept;
    bool at_another() noexcept;
    std::string_view value() noexcept;

    const char* at_;
    const char* end_;
    char open_ = 0;
};

// The inside of a string value; nothing when the value is something else.
inline std::optional<std::string_view> string_inside(std::string_view value) noexcept {
    if (value.size() < 2 || value.front() != '"') return std::nullopt;
    return value.substr(1, value.size() - 2);
}

}  // namespace mqb::file
