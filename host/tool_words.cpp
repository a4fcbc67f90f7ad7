// tool_words: the options of copy, eval, schema and completion.
#include "host/command_words.hpp"
#include "host/commands/completion.hpp"
#include "host/commands/copy.hpp"
#include "host/commands/eval.hpp"
#include "host/commands/schema.hpp"

#include <memory>

namespace mqb::host {

namespace {

void add_copy(CLI::App& app, command_actions& to) {
    const auto into = std::make_shared<copy_options>();
    CLI::App& command =
        add_command(app, "copy", "Move messages from one URI to another, without a route file",
                    "mqbridge copy 'file:orders.csv?format=csv' 'file:orders.jsonl?format=json|retry?max_attempts=5' --drain");
    command.add_option("source", into->source, "Where messages come from: a URI, or - for standard input")->required()->type_name("SOURCE");
    command.add_option("target", into->target, "Where they go: a URI, or - for standard output")->required()->type_name("TARGET");
    add_plugin_options(command, into->plugins);
    command.add_option("--filter", into->filter, "Only messages for which this is true, as by the middleware filter")
        ->type_name("EXPRESSION");
    add_limit_option(command, into->limit, "End after so many messages of the source", "COUNT");
    command.add_flag("--drain", into->drain, "End at the end of the source");
    command.add_option("--wait", into->wait, "End when nothing has come for so long since the source was connected")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 1e9).description(""));
    command.add_option("--concurrency", into->concurrency, "Batches in work at once; 1 if unset")->type_name("COUNT");
    command.add_option("--batch-size", into->batch_size, "Messages of one batch, at most; 512 if unset")->type_name("COUNT");
    command.add_option("--summary", into->summary, "Write the ledger as JSON; -: to standard output")->type_name("FILE");
    command
        .add_option("--state-dir", into->state_dir,
                    "Keep dead letters and positions here; without it a message that cannot be delivered ends the copy")
        ->type_name("DIR");
    command.add_flag("--strict", into->strict, "Exit code 3 if something was dead-lettered");
    command.add_flag("--quiet", into->quiet, "Show no progress on a terminal");
    add_log_options(command, into->log_level, into->log_format);
    to.push_back({&command, [into] { return copy(*into); }});
}

void add_eval(CLI::App& app, command_actions& to) {
    const auto into = std::make_shared<eval_options>();
    CLI::App& command = add_command(app, "eval", "Evaluate an expression over a message, and print the result as JSON",
                                    "mqbridge eval 'round(price * 1.19, 2)' '{\"price\": 9.99}'");
    command.add_option("expression", into->expression, "As in a filter or a transform; behind -- if it begins with -")
        ->required()
        ->type_name("EXPRESSION");
    const CLI::Option* message =
        command.add_option("message", into->message, "The payload as JSON, @FILE, or - for standard input; none if unset")
            ->type_name("MESSAGE");
    command.add_option("--metadata", into->metadata, "An entry of the message's metadata; several: again")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    CLI::Option* filter = command.add_flag("--filter", into->is_filter, "By the rules of a filter: the result is true or false");
    command.add_flag("--template", into->is_template, "It is a template such as 'order ${payload:id}': print its text")->excludes(filter);
    to.push_back({&command, [into, message] {
                      into->has_message = message->count() != 0;
                      return evaluate(*into);
                  }});
}

void add_schema(CLI::App& app, command_actions& to) {
    const auto into = std::make_shared<schema_options>();
    CLI::App& command = add_command(app, "schema", "Print the JSON Schema of a route file with all plugins that are found, for editors",
                                    "mqbridge schema --output mqbridge.schema.json");
    add_plugin_options(command, into->plugins);
    command.add_option("--output", into->output, "Write it here; -: to standard output")->type_name("FILE");
    to.push_back({&command, [into] { return print_schema(*into); }});
}

void add_completion(CLI::App& app, command_actions& to) {
    const auto into = std::make_shared<completion_options>();
    CLI::App& command = add_command(app, "completion", "Print the completion script of a shell", "source <(mqbridge completion bash)");
    command.add_option("shell", into->shell, "Whose")->required()->type_name("SHELL")->check(CLI::IsMember({"bash", "zsh", "fish"}));
    to.push_back({&command, [into, &app] { return print_completion(*into, app); }});

    // For the build: hidden from help, completion and manual.
    const auto pages = std::make_shared<manual_options>();
    CLI::App& manual = *app.add_subcommand("manual", "Write man pages and completion scripts, or print the reference of the commands");
    manual.group("");
    manual.add_option("form", pages->form, "files or markdown")->required()->check(CLI::IsMember({"files", "markdown"}));
    manual.add_option("--output", pages->output, "A folder, of files")->type_name("DIR");
    to.push_back({&manual, [pages, &app] { return write_manual(*pages, app); }});
}

}  // namespace

void add_tool_commands(CLI::App& app, command_actions& to) {
    add_copy(app, to);
    add_eval(app, to);
    add_schema(app, to);
    add_completion(app, to);
}

}  // namespace mqb::host
