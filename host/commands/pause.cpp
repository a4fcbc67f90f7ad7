#include "host/admin/host_requests.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/state_place.hpp"

#include <iostream>

namespace mqb::host {

namespace {

int ask_for(const pause_options& options, const char* what, const char* done) {
    std::string answer;
    const int code = ask_host(options.place, what, admin::route_request(what, options.route), answer);
    if (code == exit_done) std::cout << options.route << ": " << done << '\n';
    return std::cout.flush() || code != exit_done ? code : exit_failed;
}

}  // namespace

int pause(const pause_options& options) { return ask_for(options, "pause", "pausing"); }

int resume(const pause_options& options) { return ask_for(options, "resume", "resuming"); }

}  // namespace mqb::host
