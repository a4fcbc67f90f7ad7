// Json leaves: the values of an object, and of the objects in it, in one pass and without building anything. The text is known to
// be JSON (json_check); the pass relies on that and checks nothing again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mqb::file {

// Kept for many texts, since its path keeps its memory. Every view ends with the next call, or with the text.
class json_leaves {
public:
    // Begins a text, which is an object, perhaps with white space around it; false: it is something else.
    // into_objects: an object is no value, but its members are, named `object.member`.
    bool begin(std::string_view text, bool into_objects);

    // Moves to the next value; false: there is none.
    bool next();
    // The key of the value, and of the objects around it, unescaped.
    std::string_view path() const noexcept { return path_; }
    std::string_view value() const noexcept { return value_; }

private:
    void skip_white() noexcept;
    void append_key(std::string_view inside);

    const char* at_ = nullptr;
    const char* end_ = nullptr;
    bool into_objects_ = false;
    std::string names_;                // of the open objects, each with a dot behind it, and of the value
    std::vector<std::size_t> opened_;  // how long that was before each of them
    std::size_t outer_ = 0;            // how long it is without the value's
    std::string_view path_, value_;
};

}  // namespace mqb::file
