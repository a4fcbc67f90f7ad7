// copy: what `mqbridge copy SOURCE TARGET` does: one route made of two URIs.
#pragma once

#include "host/commands/commands.hpp"
#include "host/plugins/type_lookup.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace mqb::host {

struct copy_options {
    std::string source;
    std::string target;
    plugin_options plugins;
    std::optional<std::string> filter;
    std::uint64_t limit = 0;  // messages; 0: no limit
    bool drain = false;
    std::optional<double> wait;                // seconds; nothing came for so long: the end
    std::optional<std::uint32_t> concurrency;  // none: as in a route file
    std::optional<std::uint32_t> batch_size;
    std::string summary;    // a file; "-": standard output
    std::string state_dir;  // empty: none, and what cannot be delivered ends the copy
    bool strict = false;
    bool quiet = false;  // no progress
    std::string log_level;
    std::string log_format;
};
[[nodiscard]] int copy(const copy_options& options);

}  // namespace mqb::host
