#include "host/command_line_state.hpp"

#include "host/command_words.hpp"

namespace mqb::host {

namespace {

void add_place(CLI::App& command, place_options& into) {
    command.add_option("--state-dir", into.state_dir, "The state directory of the host")->type_name("DIR");
    command.add_option("files", into.files, "Route files; their state_dir counts where --state-dir is not given")->type_name("FILE");
}

void add_selection(CLI::App& command, letter_selection& into) {
    command.add_option("--id", into.ids, "The letter with this number; several: again")->type_name("ID")->allow_extra_args(false);
    command.add_option("--route", into.route, "Of this route")->type_name("ROUTE");
    command.add_option("--endpoint", into.endpoint, "Failed here, as in the route file: output, output.middlewares[0]")->type_name("PATH");
    command.add_option("--class", into.why, "refused, exhausted or max_deliveries")
        ->type_name("CLASS")
        ->check(CLI::IsMember({"refused", "exhausted", "max_deliveries"}));
    command.add_option("--since", into.since, "The last failure was not before: 2h ago, or 2026-01-31T12:00:00Z")->type_name("TIME");
    command.add_option("--until", into.until, "The last failure was before")->type_name("TIME");
    command.add_option("--error", into.error, "With this text in the error")->type_name("TEXT");
    add_limit_option(command, into.limit, "The oldest so many", "N");
}

constexpr const char* for_scripts = "For scripts";

void add_dlq(CLI::App& app, state_words& into) {
    CLI::App& dlq = add_command(app, "dlq", "List, show, replay or remove dead letters", "mqbridge dlq list --route orders --since 2h");
    dlq.require_subcommand(1);
    CLI::App& list = add_command(dlq, "list", "List dead letters, the oldest first", "mqbridge dlq list --class refused --json");
    add_selection(list, into.list.which);
    list.add_flag("--json", into.list.json, for_scripts);
    CLI::App& show = add_command(dlq, "show", "Show all of one dead letter", "mqbridge dlq show 17");
    show.add_option("id", into.show.id, "As in the list")->required()->type_name("ID");
    show.add_flag("--json", into.show.json, "For scripts, with the whole payload");
    CLI::App& replay = add_command(dlq, "replay", "Send dead letters through the output of their routes once more",
                                   "mqbridge dlq replay --route orders --error \"no such column\" orders.yaml");
    add_selection(replay, into.replay.which);
    add_plugin_options(replay, into.replay.plugins);
    replay.add_flag("--json", into.replay.json, for_scripts);
    CLI::App& purge = add_command(dlq, "purge", "Remove dead letters for good", "mqbridge dlq purge --route orders --until 30d");
    add_selection(purge, into.purge.which);
    purge.add_flag("--all", into.purge.all, "All of them: needed where no filter is given");
    purge.add_flag("--json", into.purge.json, for_scripts);
    for (CLI::App* command : {&list, &show, &replay, &purge}) add_place(*command, into.letters);
}

template <class Options>
int with_place(const place_options& from, Options options, int (*run)(const Options&)) {
    state_place found;
    if (!read_state_place(from.files, found)) return exit_bad_input;
    options.place = {from.state_dir, found.from_files, found.secrets};
    return run(options);
}

}  // namespace

void add_state_commands(CLI::App& app, state_words& into) {
    CLI::App& status = add_command(app, "status", "Show what the routes of a running host do", "mqbridge status --json");
    status.add_flag("--json", into.status.json, for_scripts);
    add_place(status, into.status.place);
    CLI::App& pause = add_command(app, "pause", "Let a route of a running host read no more", "mqbridge pause orders");
    pause.add_option("route", into.pause.route, "Its name")->required()->type_name("ROUTE");
    add_place(pause, into.pause.place);
    CLI::App& resume = add_command(app, "resume", "Let a paused route go on", "mqbridge resume orders");
    resume.add_option("route", into.resume.route, "Its name")->required()->type_name("ROUTE");
    add_place(resume, into.resume.place);
    add_dlq(app, into);
}

std::optional<int> run_state_command(const CLI::App& app, state_words& given) {
    if (app.got_subcommand("status")) return status(given.status);
    if (app.got_subcommand("pause")) return pause(given.pause);
    if (app.got_subcommand("resume")) return resume(given.resume);
    if (!app.got_subcommand("dlq")) return std::nullopt;
    const CLI::App& dlq = *app.get_subcommand("dlq");
    if (dlq.got_subcommand("list")) return with_place(given.letters, given.list, &dlq_list);
    if (dlq.got_subcommand("show")) return with_place(given.letters, given.show, &dlq_show);
    if (dlq.got_subcommand("purge")) return with_place(given.letters, given.purge, &dlq_purge);
    given.replay.place = given.letters;
    return dlq_replay(given.replay);
}

}  // namespace mqb::host
