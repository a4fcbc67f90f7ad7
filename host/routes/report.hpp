// report: what became of the messages of each route, as a table for people and as JSON for scripts.
#pragma once

#include "core/route.hpp"
#include "host/logs/scrubber.hpp"

#include <span>
#include <string>

namespace mqb::host {

struct route_report {
    std::string name;
    core::route_snapshot snapshot;

    // Nothing is lost, left unsettled or miscounted.
    [[nodiscard]] bool is_clean() const noexcept;
};

[[nodiscard]] std::string table(std::span<const route_report> routes, const scrubber& clean);
[[nodiscard]] std::string summary_json(std::span<const route_report> routes, const scrubber& clean);

}  // namespace mqb::host
