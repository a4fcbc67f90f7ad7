// command_words: what the definitions of several commands have in common.
#pragma once

#include "host/plugins/type_lookup.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mqb::host {

// A command and what it does; the answer is the exit code.
struct command_action {
    CLI::App* command;
    std::function<int()> act;
};
using command_actions = std::vector<command_action>;

// With `--help` and an example at its end.
CLI::App& add_command(CLI::App& to, const std::string& name, const std::string& text, const std::string& example);
void add_plugin_options(CLI::App& command, plugin_options& into);
// From 1 on: no number stands for "no limit".
void add_limit_option(CLI::App& command, std::uint64_t& into, const std::string& text, const std::string& type);
void add_log_options(CLI::App& command, std::string& level, std::string& format);

// copy, eval, schema and completion.
void add_tool_commands(CLI::App& app, command_actions& to);

}  // namespace mqb::host
