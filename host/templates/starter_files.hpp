// starter_files: the files of sdk/template, as they were when this program was built.
#pragma once

#include <span>
#include <string_view>

namespace mqb::host {

struct starter_file {
    std::string_view path;  // relative; has @NAME@ where the plugin's name goes, like the text
    std::string_view text;
    bool is_executable = false;
};

[[nodiscard]] std::span<const starter_file> starter_files();

}  // namespace mqb::host
