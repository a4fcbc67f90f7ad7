// Json check: is a text JSON? Boost.JSON's parser with nobody listening.
#pragma once

#include <memory>
#include <string_view>

namespace mqb::file {

// Kept for many texts, since its parser keeps its stack. One thread at a time.
class json_check {
public:
    json_check();
    ~json_check();

    // One value, perhaps with white space around it, in UTF-8, at most 512 levels deep.
    bool is_json(std::string_view text);

private:
    struct parser;
    std::unique_ptr<parser> parser_;
};

}  // namespace mqb::file
