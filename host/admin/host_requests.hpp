// host_requests: what the commands status, pause, resume and dlq replay ask of a running host, and what it answers.
//
// A request is a JSON object: {"do": "status"}, {"do": "pause" | "resume", "route": NAME} or {"do": "replay", "route": NAME, "filter": {…}} with a filter as
// the source of dead letters takes it. The answer to status is that of status_json; to the others {}, or for a replay, when it has
// ended, what the summary says of its route. {"error": TEXT}: refused.
#pragma once

#include "host/admin/server.hpp"
#include "host/routes/supervisor.hpp"

namespace mqb::host::admin {

class host_requests final : public requests {
public:
    host_requests(supervisor& all, const scrubber& clean, host_facts host) : all_(all), clean_(clean), host_(std::move(host)) {}
    std::function<void()> handle(std::string_view request, answer give) override;

private:
    std::function<void()> replay(const std::string& route, const std::string& filter, const answer& give);

    supervisor& all_;
    const scrubber& clean_;
    const host_facts host_;
};

[[nodiscard]] std::string status_request();
[[nodiscard]] std::string route_request(std::string_view what, std::string_view route);
[[nodiscard]] std::string replay_request(std::string_view route, const state::letter_filter& which);

}  // namespace mqb::host::admin
