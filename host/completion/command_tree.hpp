// command_tree: the commands and options of the program as data, read from the parser itself, so that help, completion, man pages and
// the manual cannot say different things.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mqb::host {

enum class argument_kind { text, file, directory, choice };

struct command_argument {
    std::vector<std::string> names;  // "--json", "-h"; of a positional one its name alone: "files"
    std::string value;               // "FILE"; empty: a flag
    std::string description;
    std::vector<std::string> choices;
    argument_kind kind = argument_kind::text;
    bool is_required = false;
    bool is_repeatable = false;
};

struct command_node {
    std::string name;  // "plugin"
    std::string path;  // "mqbridge new plugin"
    std::string description;
    std::string example;  // a command line, or several with a line each
    std::vector<command_argument> options;
    std::vector<command_argument> positionals;
    std::vector<command_node> commands;  // hidden ones are left out

    // "mqbridge run FILE... [OPTIONS]"
    [[nodiscard]] std::string usage() const;
};

[[nodiscard]] command_node read_command_tree(const CLI::App& app);
// The root, then every command under it, depth first.
[[nodiscard]] std::vector<const command_node*> all_commands(const command_node& root);
// "--summary FILE", "-h, --help"
[[nodiscard]] std::string shown_names(const command_argument& of);

}  // namespace mqb::host
