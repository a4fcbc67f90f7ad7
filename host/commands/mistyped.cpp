#include "host/commands/mistyped.hpp"

#include "host/completion/command_tree.hpp"
#include "host/config/near_match.hpp"

#include <CLI/CLI.hpp>

namespace mqb::host {

namespace {

// The command that the words before the mistake name.
const CLI::App* innermost(const CLI::App* app) {
    for (auto below = app->get_subcommands(); !below.empty(); below = app->get_subcommands()) app = below.front();
    return app;
}

const command_node* find(const command_node& root, const CLI::App* app) {
    std::string path;
    for (const CLI::App* at = app; at; at = at->get_parent()) path = at->get_name() + (path.empty() ? "" : ' ' + path);
    for (const command_node* c : all_commands(root))
        if (c->path == path) return c;
    return nullptr;
}

}  // namespace

std::string mistyped(const CLI::App& app, const CLI::ParseError& mistake) {
    if (mistake.get_exit_code() == 0) return "";  // help or version
    const std::vector<std::string> extra = app.remaining(true);
    if (extra.empty()) return "";
    const command_node root = read_command_tree(app);
    const command_node* at = find(root, innermost(&app));
    if (!at) return "";
    const std::string word = extra.front().substr(0, extra.front().find('='));
    const bool is_option = word.starts_with('-');
    std::vector<std::string> known;
    for (const command_argument& o : at->options)
        if (is_option) known.insert(known.end(), o.names.begin(), o.names.end());
    for (const command_node& c : at->commands)
        if (!is_option) known.push_back(c.name);
    if (!is_option && known.empty()) return "";
    return at->path + ": unknown " + (is_option ? "option" : "command") + " \"" + word + '"' + config::did_you_mean(word, known) +
           "\nRun " + at->path + " --help for more information.\n";
}

}  // namespace mqb::host
