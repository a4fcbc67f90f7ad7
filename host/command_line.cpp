#include "host/command_line.hpp"

#include "host/command_line_state.hpp"
#include "host/command_words.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/mistyped.hpp"
#include "host/loading/describe.hpp"
#include "host/logs/scrubber.hpp"

#include <mqb/status.h>

#include <CLI/CLI.hpp>

#ifdef MQB_HAS_CONFORMANCE
#include <mqb/conformance/run.hpp>
#endif

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace mqb::host {

namespace {

// Owns what the options are read into; the chosen command runs afterwards.
struct words {
    state_words state;
    run_options run;
    check_options check;
    plugins_options plugins;
    describe_options describe;
    new_plugin_options plugin;
};

void add_run(CLI::App& app, run_options& into) {
    CLI::App& command = add_command(app, "run", "Run the routes of route files", "mqbridge run orders.yaml --drain --summary ledger.json");
    command.add_option("files", into.files, "Route files, YAML or JSON")->required()->type_name("FILE");
    add_plugin_options(command, into.plugins);
    command.add_flag("--drain", into.drain, "End each route at the end of its input");
    command.add_option("--summary", into.summary, "Write the ledger of each route as JSON; -: to standard output")->type_name("FILE");
    command.add_flag("--strict", into.strict, "Exit code 3 where something was dead-lettered");
    command.add_option("--state-dir", into.state_dir, "Where dead letters and the like are kept; the default is in the manual")
        ->type_name("DIR");
    add_log_options(command, into.log_level, into.log_format);
}

void add_check(CLI::App& app, check_options& into) {
    CLI::App& command =
        add_command(app, "check", "Tell everything that is wrong in route files, and run nothing", "mqbridge check routes/ --connect");
    command.add_option("files", into.files, "Route files, YAML or JSON, and folders of them")->required()->type_name("FILE");
    add_plugin_options(command, into.plugins);
    command.add_flag("--json", into.json, "For scripts: findings, routes with their guarantees, connects");
    command.add_flag("--connect", into.connect, "Connect to both ends of every enabled route, too; nothing is read or sent");
}

void add_plugins(CLI::App& app, plugins_options& into) {
    CLI::App& command = add_command(app, "plugins", "List the plugins that are found and what they offer", "mqbridge plugins --verify");
    add_plugin_options(command, into.plugins);
    command.add_flag("--json", into.json, "For scripts");
    command.add_flag("--verify", into.verify, "Open each; exit code 1 if one cannot be used");
}

void add_describe(CLI::App& app, describe_options& into) {
    CLI::App& command = add_command(app, "describe", "Show the fields of an endpoint or middleware", "mqbridge describe file");
    command.add_option("name", into.name, "As in a route file")->required()->type_name("NAME");
    add_plugin_options(command, into.plugins);
    command.add_flag("--json", into.json, "The schema and the promises, for scripts");
}

void add_new(CLI::App& app, new_plugin_options& into) {
    CLI::App& command = add_command(app, "new", "Begin something new", "mqbridge new plugin pulsar");
    command.require_subcommand(1);
    CLI::App& plugin =
        add_command(command, "plugin", "Write the files of a plugin that builds and runs", "mqbridge new plugin pulsar ~/src/mqb-pulsar");
    plugin.add_option("name", into.name, "As in a route file")->required()->type_name("NAME");
    plugin.add_option("directory", into.directory, "A folder that is empty or not there yet; a folder NAME if unset")->type_name("DIR");
}

// The last one first, as the parser takes them. "-?…" and "-|…" are URIs of a standard stream, and no options.
std::vector<std::string> arguments_of(int count, char** arguments) {
    std::vector<std::string> out;
    for (int i = count - 1; i > 0; --i) {
        const std::string_view text = arguments[i];
        const bool is_stream = text.starts_with("-?") || text.starts_with("-|");
        out.push_back((is_stream ? "stdio:" : "") + std::string{is_stream ? text.substr(1) : text});
    }
    return out;
}

int run_conformance(int count, char** arguments) {
#ifdef MQB_HAS_CONFORMANCE
    return conformance::command(count, arguments);
#else
    (void)count, (void)arguments;
    std::cerr << "conformance: the kit is not in this build\n";
    return exit_failed;
#endif
}

}  // namespace

int run_command_line(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    if (first == loading::describe_argument) {
        if (count != 3) return exit_bad_input;
        loading::describe_main(arguments[2]);
    }
    if (first == "conformance") return run_conformance(count - 2, arguments + 2);  // its options are its own

    CLI::App app{"Moves messages between messaging systems, databases, files and processes.", "mqbridge"};
    app.footer(
        "Example:\n  mqbridge run routes.yaml\nExit codes: 0 done; 1 failed or left something unsettled; 2 bad configuration or command "
        "line; 3 something was dead-lettered, with --strict.");
    app.set_version_flag("--version", "mqbridge " MQB_VERSION " (plugin interface draft " + std::to_string(MQB_ABI_DRAFT) + ')');
    app.require_subcommand(1);
    words to;
    add_run(app, to.run);
    add_check(app, to.check);
    add_plugins(app, to.plugins);
    add_describe(app, to.describe);
    add_state_commands(app, to.state);
    add_new(app, to.plugin);
    add_command(app, "conformance", "Run the conformance kit on a plugin", "mqbridge conformance ./libmqb_pulsar.so");
    command_actions actions{{app.get_subcommand("run"), [&] { return run(to.run); }},
                            {app.get_subcommand("check"), [&] { return check(to.check); }},
                            {app.get_subcommand("plugins"), [&] { return list_plugins(to.plugins); }},
                            {app.get_subcommand("describe"), [&] { return describe(to.describe); }},
                            {app.get_subcommand("new"), [&] { return new_plugin(to.plugin); }}};
    add_tool_commands(app, actions);
    std::vector<std::string> given = arguments_of(count, arguments);
    try {
        app.parse(given);
    } catch (const CLI::ParseError& e) {
        const scrubber clean;  // what is quoted may be a URL with a password
        if (const std::string text = mistyped(app, e); !text.empty()) {
            std::cerr << clean.clean(text);
            return exit_bad_input;
        }
        std::ostringstream told;
        const int code = app.exit(e, std::cout, told);
        std::cerr << clean.clean(told.str());
        return code == 0 ? exit_done : exit_bad_input;
    }
    if (const auto code = run_state_command(app, to.state)) return *code;
    for (const command_action& a : actions)
        if (app.got_subcommand(a.command)) return a.act();
    return exit_bad_input;
}

}  // namespace mqb::host
