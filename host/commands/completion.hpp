// completion: what `mqbridge completion SHELL` does, and the files of the same tree that a build installs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace mqb::host {

struct completion_options {
    std::string shell;
};
[[nodiscard]] int print_completion(const completion_options& options, const CLI::App& app);

struct manual_options {
    std::string form;    // "files": man pages and completion scripts; "markdown": the reference of the commands
    std::string output;  // the folder of the files: man/ and completion/ in it
};
[[nodiscard]] int write_manual(const manual_options& options, const CLI::App& app);

}  // namespace mqb::host
