// host_state: what a host keeps on disk: its state directory, locked, and the store of dead letters in it.
#pragma once

#include "core/result.hpp"
#include "core/route.hpp"
#include "host/logs/scrubber.hpp"
#include "host/state/sqlite_dead_letters.hpp"
#include "host/state/state_directory.hpp"

#include <filesystem>
#include <memory>

namespace mqb::host {

// The lock is held as long as this lives. Outlives the routes.
struct host_state {
    state::state_directory directory;
    state::text_filter clean;  // takes secrets out of a text
    std::unique_ptr<state::sqlite_dead_letters> letters;

    // Of each endpoint; what cannot be made is told to the log, and the endpoint goes without.
    [[nodiscard]] core::instance_directories instance_directories(core::logger& log) const;
};

// `clean` takes secrets out of the errors of dead letters. Fails with a text for people.
[[nodiscard]] core::result<host_state> open_host_state(const std::filesystem::path& path, const scrubber& clean);

}  // namespace mqb::host
