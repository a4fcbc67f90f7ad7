// dlq: what the words `mqbridge dlq …` do. Each answers the exit code: 0 done, 1 failed or no such letter, 2 a filter that cannot be read.
// They work beside a host that runs on the same state directory, and without one.
#pragma once

#include "host/commands/state_place.hpp"
#include "host/plugins/type_lookup.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mqb::host {

// Where the letters are.
struct dlq_place {
    std::string state_dir;             // --state-dir; empty: not given
    std::string state_dir_of_file;     // the key state_dir of a route file that was given; empty: none
    std::vector<std::string> secrets;  // of such a file: taken out of what is printed
};

// Which letters, as on the command line; all that is set has to be met.
struct letter_selection {
    std::vector<std::int64_t> ids;
    std::string route;
    std::string endpoint;  // "output", "output.middlewares[0]"
    std::string why;       // --class: refused, exhausted, max_deliveries
    std::string since;     // the last failure: "2h" ago, or 2026-01-31T12:00:00Z
    std::string until;
    std::string error;        // a part of the error
    std::uint64_t limit = 0;  // 0: all
};

struct dlq_list_options {
    dlq_place place;
    letter_selection which;
    bool json = false;
};
[[nodiscard]] int dlq_list(const dlq_list_options& options);

struct dlq_show_options {
    dlq_place place;
    std::int64_t id = 0;
    bool json = false;
};
[[nodiscard]] int dlq_show(const dlq_show_options& options);

struct dlq_purge_options {
    dlq_place place;
    letter_selection which;
    bool all = false;  // needed where nothing is selected
    bool json = false;
};
[[nodiscard]] int dlq_purge(const dlq_purge_options& options);

struct dlq_replay_options {
    place_options place;  // its files are needed where no host runs: they have the routes
    plugin_options plugins;
    letter_selection which;
    bool json = false;
};
// Sends letters through the output of their routes once more: the host that runs on the directory does it, and where none runs, this
// process. 1: letters are left, or it could not be done; 2: no host runs and no usable route file was given.
[[nodiscard]] int dlq_replay(const dlq_replay_options& options);

}  // namespace mqb::host
