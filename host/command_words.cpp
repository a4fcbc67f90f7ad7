#include "host/command_words.hpp"

namespace mqb::host {

CLI::App& add_command(CLI::App& to, const std::string& name, const std::string& text, const std::string& example) {
    CLI::App& command = *to.add_subcommand(name, text);
    command.footer("Example:\n  " + example);
    return command;
}

void add_plugin_options(CLI::App& command, plugin_options& into) {
    command.add_option("--plugin-dir", into.dirs, "Look for plugins here first; several: again, or with colons between")
        ->type_name("DIR")
        ->delimiter(':')
        ->check(CLI::ExistingDirectory)
        ->take_all()
        ->allow_extra_args(false);  // what stands behind its value is a route file
    command.add_option("--plugin", into.files, "Use this plugin library")->type_name("FILE")->take_all()->allow_extra_args(false);
}

void add_limit_option(CLI::App& command, std::uint64_t& into, const std::string& text, const std::string& type) {
    command.add_option("--limit", into, text)->type_name(type)->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62).description(""));
}

void add_log_options(CLI::App& command, std::string& level, std::string& format) {
    command.add_option("--log-level", level, "The least that is logged")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    command.add_option("--log-format", format, "Lines for people, or one JSON object a line")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"human", "json"}));
}

}  // namespace mqb::host
