#include "core/status.hpp"

namespace mqb::core {

std::string_view to_text(status value) noexcept {
    switch (value) {
        case status::ok: return "ok";
        case status::pending: return "pending";
        case status::retry: return "retry";
        case status::rejected: return "rejected";
        case status::bad_config: return "bad configuration";
        case status::disconnected: return "disconnected";
        case status::end: return "end";
        case status::cancelled: return "cancelled";
        case status::unsupported: return "unsupported";
    }
    return "unknown status";
}

std::string_view to_text(route_state value) noexcept {
    switch (value) {
        case route_state::starting: return "starting";
        case route_state::running: return "running";
        case route_state::reconnecting: return "reconnecting";
        case route_state::paused: return "paused";
        case route_state::draining: return "draining";
        case route_state::completed: return "completed";
        case route_state::failed: return "failed";
        case route_state::stopped: return "stopped";
    }
    return "unknown";
}

bool is_final(route_state value) noexcept {
    return value == route_state::completed || value == route_state::failed || value == route_state::stopped;
}

}  // namespace mqb::core
