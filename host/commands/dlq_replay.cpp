#include "host/admin/client.hpp"
#include "host/admin/host_requests.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/dlq.hpp"
#include "host/commands/dlq_selection.hpp"
#include "host/commands/run_plan.hpp"
#include "host/commands/state_option.hpp"
#include "host/config/near_match.hpp"
#include "host/config/scalar.hpp"
#include "host/routes/replay.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

namespace mqb::host {

namespace {

namespace json = boost::json;

// The letters of one route, and what became of them.
struct share {
    std::string route;
    std::uint64_t letters = 0;
    std::uint64_t replayed = 0;
    std::string cause;  // why some are left; empty: `dlq list` tells it for each
};

core::failure failed_with(std::string text) { return {core::status::retry, std::move(text)}; }

// In the order of their first letters.
core::result<std::vector<share>> shares_of(const dlq_place& place, const state::letter_filter& which) {
    std::vector<share> out;
    auto archive = open_archive(place);
    if (!archive) return archive.error();
    if (!*archive) return out;
    const auto count = each_page(**archive, which, [&](const std::vector<state::letter>& page) {
        for (const state::letter& l : page) {
            auto at = std::ranges::find(out, l.route, &share::route);
            if (at == out.end()) at = out.insert(at, share{l.route, 0, 0, {}});
            ++at->letters;
        }
    });
    if (!count) return count.error();
    return out;
}

// The oldest of them all are the oldest of each route, too.
state::letter_filter filter_of(const share& of, state::letter_filter which) {
    which.route = of.route;
    which.limit = of.letters;
    return which;
}

std::uint64_t acknowledged(const core::ledger_totals& t) {
    return t.delivered + t.replied + t.filtered + t.duplicate + t.discarded + t.dead_lettered;
}

void take_answer(const std::string& answer, share& into) {
    boost::system::error_code broken;
    const json::value value = json::parse(answer, broken);
    if (broken || !value.is_object()) return void(into.cause = "the host answered what is no JSON object");
    for (const auto& member : value.get_object()) {
        const std::string_view key{member.key().data(), member.key().size()};
        if ((key == "error" || key == "cause") && member.value().is_string()) {
            into.cause.assign(member.value().get_string().data(), member.value().get_string().size());
        } else if (key == "delivered" || key == "replied" || key == "filtered" || key == "duplicate" || key == "discarded" ||
                   key == "dead_lettered") {
            if (member.value().is_int64()) into.replayed += static_cast<std::uint64_t>(member.value().get_int64());
        }
    }
}

// False: no host runs there.
core::result<bool> ask_host_to_replay(const std::filesystem::path& socket, const state::letter_filter& which, std::vector<share>& all) {
    for (share& one : all) {
        // Whoever answers this is at work; the replay itself may take as long as it takes.
        const auto lives = admin::ask(socket, admin::status_request());
        if (!lives) return lives.error();
        const auto said = admin::ask(socket, admin::replay_request(one.route, filter_of(one, which)), std::nullopt);
        if (!said) return said.error();
        if (!*said && &one == &all.front()) return false;
        if (!*said) return failed_with("the host has ended");
        take_answer(**said, one);
    }
    return true;
}

std::vector<config::planned_route> plan_of(const std::vector<config::planned_route>& known, const state::letter_filter& which,
                                           std::vector<share>& all) {
    std::vector<std::string> names;
    for (const config::planned_route& r : known) names.push_back(r.definition.name);
    std::vector<config::planned_route> out;
    for (share& one : all) {
        const auto at = std::ranges::find(known, one.route, [](const auto& r) -> const std::string& { return r.definition.name; });
        if (at == known.end())
            one.cause = "no such route in the file" + config::did_you_mean(one.route, names);
        else if (!at->broken.empty())
            one.cause = at->broken;
        else
            out.push_back({replay_of(at->definition, filter_of(one, which)), true, {}, {}});
    }
    return out;
}

int replay_here(const dlq_replay_options& options, const std::filesystem::path& path, const state::letter_filter& which,
                std::vector<share>& all) {
    loaded_routes loaded = load_routes(options.place.files, options.plugins);
    if (!tell_findings(loaded)) return exit_bad_input;
    const scrubber clean{loaded.secrets};
    const auto kept = open_host_state(path, clean);
    if (!kept) return std::cerr << "mqbridge dlq: " << clean.clean(kept.error().text) << '\n', exit_bad_input;
    add_letter_source(loaded.types.endpoints, kept->directory.letters_file(), kept->clean);
    line_logger log{STDERR_FILENO, core::log_level::warning};
    log.set_scrubber(clean);
    const auto take = [&](const std::vector<route_report>& routes) {
        for (const route_report& r : routes) {
            const auto of = std::ranges::find(all, r.name, [](const share& s) { return replay_name(s.route); });
            if (of == all.end()) continue;
            of->replayed = acknowledged(r.snapshot.totals);
            of->cause = r.snapshot.cause;
        }
        log.flush();
        return int{exit_done};
    };
    return run_plan(plan_of(loaded.routes, which, all), {loaded.types, log, &*kept}, take);
}

int tell(const std::vector<share>& all, const state::text_filter& clean, bool as_json) {
    bool has_left = false;
    std::string out;
    for (const share& one : all) {
        const std::uint64_t left = one.letters - std::min(one.replayed, one.letters);
        has_left = has_left || left != 0;
        const std::string cause = clean(one.cause);
        if (as_json) {
            out += (out.empty() ? "" : ",") + std::string{"{\"route\":"} + config::json_string(one.route) +
                   ",\"letters\":" + std::to_string(one.letters) + ",\"replayed\":" + std::to_string(one.replayed) +
                   ",\"left\":" + std::to_string(left) + ",\"cause\":" + (cause.empty() ? "null" : config::json_string(cause)) + '}';
            continue;
        }
        out += on_one_line(one.route) + ": " + std::to_string(one.replayed) + " of " + std::to_string(one.letters) + " replayed";
        if (left != 0)
            out += ", " + std::to_string(left) + " left" + (cause.empty() ? ": see mqbridge dlq list" : ": " + on_one_line(cause));
        out += '\n';
    }
    if (as_json)
        out = '[' + out + "]\n";
    else if (all.empty())
        out = "no dead letters\n";
    std::cout << out << std::flush;
    return has_left || !std::cout ? exit_failed : exit_done;
}

}  // namespace

int dlq_replay(const dlq_replay_options& options) {
    state_place from;
    if (!read_state_place(options.place.files, from)) return exit_bad_input;
    const dlq_place place{options.place.state_dir, from.from_files, from.secrets};
    const state::text_filter clean = cleaner(place);
    const auto failed = [&](const core::failure& why, int code = exit_failed) {
        std::cerr << "mqbridge dlq: " << clean(why.text) << '\n';
        return code;
    };
    const auto which = read_selection(options.which, wall_ns());
    if (!which) return failed(which.error(), exit_bad_input);
    const auto path = find_state_directory(place.state_dir, place.state_dir_of_file);
    if (!path) return failed(path.error(), exit_bad_input);
    auto all = shares_of(place, *which);
    if (!all) return failed(all.error());
    if (all->empty()) return tell(*all, clean, options.json);
    const auto directory = state::state_directory::visit(*path);
    if (!directory) return failed(directory.error());
    const auto asked = ask_host_to_replay(directory->socket_file(), *which, *all);
    if (!asked) return failed(asked.error());
    if (!*asked) {
        const std::string why = why_nobody_answers(*directory);
        if (directory->holder()) return failed(failed_with(why));
        if (options.place.files.empty())
            return failed(failed_with(why + ": give the route file that has the routes of the letters"), exit_bad_input);
        if (const int code = replay_here(options, *path, *which, *all); code != exit_done) return code;
    }
    return tell(*all, clean, options.json);
}

}  // namespace mqb::host
