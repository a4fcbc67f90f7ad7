// commands: what the words of the command line do. Each answers the exit code.
#pragma once

#include "host/commands/state_place.hpp"
#include "host/plugins/type_lookup.hpp"

#include <string>
#include <vector>

namespace mqb::host {

// Exit codes of the program.
enum exit_code : int { exit_done = 0, exit_failed = 1, exit_bad_input = 2, exit_dead_lettered = 3 };

struct run_options {
    std::vector<std::string> files;
    plugin_options plugins;
    bool drain = false;
    std::string summary;  // a file; "-": standard output
    bool strict = false;  // an exit code of its own where something was dead-lettered
    std::string state_dir;
    std::string log_level;   // empty: what the file says, else info
    std::string log_format;  // empty: what the file says, else human
};
[[nodiscard]] int run(const run_options& options);

// These ask the host that runs on a state directory; 1: there is none, or it refuses.
struct status_options {
    place_options place;
    bool json = false;
};
[[nodiscard]] int status(const status_options& options);

struct pause_options {
    place_options place;
    std::string route;
};
[[nodiscard]] int pause(const pause_options& options);
[[nodiscard]] int resume(const pause_options& options);

struct check_options {
    std::vector<std::string> files;  // and folders
    plugin_options plugins;
    bool json = false;
    bool connect = false;  // connect to the ends of the routes too
};
[[nodiscard]] int check(const check_options& options);

struct plugins_options {
    plugin_options plugins;
    bool json = false;
    bool verify = false;
};
[[nodiscard]] int list_plugins(const plugins_options& options);

struct describe_options {
    std::string name;
    plugin_options plugins;
    bool json = false;
};
[[nodiscard]] int describe(const describe_options& options);

struct new_plugin_options {
    std::string name;
    std::string directory;  // empty: a folder of that name
};
[[nodiscard]] int new_plugin(const new_plugin_options& options);

}  // namespace mqb::host
