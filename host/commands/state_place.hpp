// state_place: the state directory that a command means, by its options or by the route files that it was given.
#pragma once

#include "core/result.hpp"
#include "host/state/state_directory.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mqb::host {

struct place_options {
    std::string state_dir;           // --state-dir
    std::vector<std::string> files;  // route files: their key state_dir counts, and their secrets are taken out of what is printed
};

struct state_place {
    std::string from_files;  // the key state_dir; empty: none
    std::vector<std::string> secrets;
};

// Reads the files, without their plugins. Prints what is wrong with them; false: a file cannot be used.
[[nodiscard]] bool read_state_place(const std::vector<std::string>& files, state_place& into);

// Why nobody can be asked on a directory whose socket takes no connection: no host runs there, or one that has lost its socket.
[[nodiscard]] std::string why_nobody_answers(const state::state_directory& directory);

// Asks the host that runs on that directory; the answer is the exit code, and what could not be done is printed after `mqbridge COMMAND: `. `answer` is the
// JSON text of an answer that is no refusal.
[[nodiscard]] int ask_host(const place_options& options, const char* command, const std::string& request, std::string& answer);

}  // namespace mqb::host
