// command_line_state: the words that are about a state directory and the host that runs on it: status, pause, resume, dlq.
#pragma once

#include "host/commands/commands.hpp"
#include "host/commands/dlq.hpp"

#include <optional>

namespace CLI {
class App;
}

namespace mqb::host {

// What their options are read into; outlives the parsing.
struct state_words {
    status_options status;
    pause_options pause;
    pause_options resume;
    place_options letters;  // of every word behind dlq
    dlq_list_options list;
    dlq_show_options show;
    dlq_purge_options purge;
    dlq_replay_options replay;
};

void add_state_commands(CLI::App& app, state_words& into);
// Runs the one that was given and answers its exit code; none: another word was given.
[[nodiscard]] std::optional<int> run_state_command(const CLI::App& app, state_words& given);

}  // namespace mqb::host
