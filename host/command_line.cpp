#include "host/command_line.hpp"

#include "host/commands/commands.hpp"
#include "host/loading/describe.hpp"

#include <mqb/status.h>

#include <CLI/CLI.hpp>

#ifdef MQB_HAS_CONFORMANCE
#include <mqb/conformance/run.hpp>
#endif

#include <iostream>
#include <string>

namespace mqb::host {

namespace {

void add_plugin_options(CLI::App& command, plugin_options& into) {
    command.add_option("--plugin-dir", into.dirs, "Look for plugins here first; several: again, or with colons between")
        ->type_name("DIR")
        ->delimiter(':')
        ->check(CLI::ExistingDirectory)
        ->take_all();
    command.add_option("--plugin", into.files, "Use this plugin library")->type_name("FILE")->take_all();
}

CLI::App& add_command(CLI::App& to, const char* name, const char* text, const char* example) {
    CLI::App& command = *to.add_subcommand(name, text);
    command.footer(std::string{"Example:\n  "} + example);
    return command;
}

// Owns what the options are read into; the chosen command runs afterwards.
struct words {
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
    command.add_option("--state-dir", into.state_dir, "Where state is kept between runs; this version keeps none")->type_name("DIR");
    command.add_option("--log-level", into.log_level, "debug, info, warning or error")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    command.add_option("--log-format", into.log_format, "human or json")->type_name("FORMAT")->check(CLI::IsMember({"human", "json"}));
}

void add_check(CLI::App& app, check_options& into) {
    CLI::App& command =
        add_command(app, "check", "Tell everything that is wrong in route files, and run nothing", "mqbridge check orders.yaml");
    command.add_option("files", into.files, "Route files, YAML or JSON")->required()->type_name("FILE");
    add_plugin_options(command, into.plugins);
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

CLI::App& add_new(CLI::App& app, new_plugin_options& into) {
    CLI::App& command = add_command(app, "new", "Begin something new", "mqbridge new plugin pulsar");
    command.require_subcommand(1);
    CLI::App& plugin =
        add_command(command, "plugin", "Write the files of a plugin that builds and runs", "mqbridge new plugin pulsar ~/src/mqb-pulsar");
    plugin.add_option("name", into.name, "As in a route file")->required()->type_name("NAME");
    plugin.add_option("directory", into.directory, "A folder that is empty or not there yet; a folder NAME if unset")->type_name("DIR");
    return command;
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
        "line.");
    app.set_version_flag("--version", "mqbridge " MQB_VERSION " (plugin interface draft " + std::to_string(MQB_ABI_DRAFT) + ')');
    app.require_subcommand(1);
    words to;
    add_run(app, to.run);
    add_check(app, to.check);
    add_plugins(app, to.plugins);
    add_describe(app, to.describe);
    const CLI::App& begin = add_new(app, to.plugin);
    add_command(app, "conformance", "Run the conformance kit on a plugin", "mqbridge conformance ./libmqb_pulsar.so");
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? exit_done : exit_bad_input; }
    if (app.got_subcommand("run")) return run(to.run);
    if (app.got_subcommand("check")) return check(to.check);
    if (app.got_subcommand("plugins")) return list_plugins(to.plugins);
    if (app.got_subcommand("describe")) return describe(to.describe);
    return app.got_subcommand(&begin) ? new_plugin(to.plugin) : exit_bad_input;
}

}  // namespace mqb::host
