#include "host/commands/check_connect.hpp"

#include "host/commands/commands.hpp"
#include "host/routes/supervisor.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>

namespace mqb::host {

namespace {

constexpr std::chrono::milliseconds usual_limit{10'000};

// What a route would say is in the results.
class silent_logger final : public core::logger {
public:
    [[nodiscard]] core::log_level lowest() const noexcept override { return core::log_level::host_misbehaves; }
    void write(core::log_level, std::string_view, std::string_view, std::string_view) noexcept override {}
};

// The other end of a route that has one endpoint to connect to.
core::endpoint_definition placeholder(core::side which) {
    core::endpoint_definition out;
    out.type = which == core::consumer_side ? "static" : "null";
    out.config = which == core::consumer_side ? R"({"body":"","count":1})" : "{}";
    out.path = which == core::consumer_side ? "input" : "output";
    return out;
}

// The cause says where, and that is known here.
std::string reason(const core::route_snapshot& s, const std::string& path) {
    if (s.cause.empty()) return std::string{core::to_text(s.state)};
    return s.cause.starts_with(path + ": ") ? s.cause.substr(path.size() + 2) : s.cause;
}

class connects {
public:
    void add(const core::route_definition& of, core::endpoint_definition what, core::side which) {
        results_.push_back({of.name, what.path, what.type, ""});
        config::planned_route made;
        core::route_definition& d = made.definition;
        d = of;
        d.connect_only = true;
        d.drain = true;
        d.startup_timeout = of.startup_timeout.value_or(usual_limit);
        d.dead_letters.endpoint.reset();
        d.input = which == core::consumer_side ? std::move(what) : placeholder(core::consumer_side);
        d.output = which == core::publisher_side ? std::move(what) : placeholder(core::publisher_side);
        // One connection tells what there is to tell.
        d.concurrency = 1;
        d.order_by = {};
        plan_.push_back(std::move(made));
    }

    std::vector<connect_result> run(const config::known_types& types, const scrubber& clean) {
        silent_logger log;
        std::unique_ptr<supervisor> all;
        const auto take = [&] {
            const std::vector<route_report> reports = all->reports();
            for (std::size_t i = 0; i < reports.size() && i < results_.size(); ++i) {
                const core::route_snapshot& s = reports[i].snapshot;
                if (s.state != core::route_state::completed) results_[i].why = reason(s, results_[i].path);
            }
        };
        // A plugin that does not come back keeps a thread for ever; the process ends without it.
        all = std::make_unique<supervisor>(std::move(plan_), types, log, [&] {
            take();
            print_connects(results_, clean);
            std::_Exit(exit_failed);
        });
        all->run();
        take();
        return std::move(results_);
    }

private:
    std::vector<connect_result> results_;
    std::vector<config::planned_route> plan_;
};

}  // namespace

std::vector<connect_result> connect_all(const loaded_routes& loaded) {
    connects each;
    for (const config::planned_route& r : loaded.routes) {
        if (!r.is_enabled) continue;
        const core::route_definition& d = r.definition;
        each.add(d, d.input, core::consumer_side);
        each.add(d, d.output, core::publisher_side);
        if (d.dead_letters.endpoint) each.add(d, *d.dead_letters.endpoint, core::publisher_side);
    }
    return each.run(loaded.types, scrubber{loaded.secrets});
}

}  // namespace mqb::host
