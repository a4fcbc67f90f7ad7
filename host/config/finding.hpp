// finding: one thing that is wrong in a route file, with its place and its path of keys.
#pragma once

#include "host/config/position.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mqb::config {

enum class severity { warning, error };

struct finding {
    severity how = severity::error;
    std::string file;
    position at;
    std::string path;  // "orders.input.file.path"; empty: the file as a whole
    std::string text;
    std::string excerpt = {};  // lines that show the place; they stand below

    // "routes.yaml:12:7: orders.input.file.pth: unknown key", and the excerpt below it; without control characters, which
    // names and values of a file may hold
    [[nodiscard]] std::string line() const;
};

// "orders" and "input": "orders.input". The path of a file's top is empty.
[[nodiscard]] std::string joined(std::string_view path, std::string_view key);

// Collects what is wrong, so that all of it is told in one go.
class findings {
public:
    // Following findings without a source of their own are about this file. Answers the number of the source.
    std::uint32_t in_file(std::string_view name);
    [[nodiscard]] const std::string& file() const noexcept { return file_; }
    // The number of a file or an environment variable that values come from.
    [[nodiscard]] std::uint32_t source(std::string_view name);
    // "routes.yaml:12:7"
    [[nodiscard]] std::string place_text(position at) const;
    void error(position at, std::string_view path, std::string text, std::string excerpt = {});
    void warning(position at, std::string_view path, std::string text);

    [[nodiscard]] std::size_t error_count() const noexcept;
    // Where something is wrong with the value there already, it counts once more, and is told once. False: there is nothing.
    bool repeat_error(position at, std::string_view path);
    [[nodiscard]] bool has_errors() const noexcept { return error_count() != 0; }
    // Files in the order in which they were read, places in the order of the file; the same thing once.
    [[nodiscard]] std::vector<finding> sorted() const;

private:
    [[nodiscard]] const std::string& name_of(position at) const noexcept;

    std::string file_;
    std::vector<std::string> sources_;  // number 1 is the first
    std::vector<finding> all_;
};

}  // namespace mqb::config
