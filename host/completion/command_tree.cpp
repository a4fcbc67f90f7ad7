#include "host/completion/command_tree.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace mqb::host {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> out;
    std::size_t from = 0;
    for (std::size_t end = text.find(at); end != std::string::npos; end = text.find(at, from)) {
        out.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    out.push_back(text.substr(from));
    return out;
}

// The parser gives the name of the value and behind it what its validators say: "LEVEL:{debug,info}".
void read_value(const CLI::Option& from, command_argument& into) {
    if (from.get_items_expected_max() == 0) return;
    const std::string text = from.get_type_name();
    into.value = text.substr(0, text.find(':'));
    const std::size_t open = text.find('{');
    const std::size_t close = text.rfind('}');
    if (open != std::string::npos && close != std::string::npos && open < close) {
        into.choices = split(text.substr(open + 1, close - open - 1), ',');
        into.kind = argument_kind::choice;
    } else if (into.value == "FILE") {
        into.kind = argument_kind::file;
    } else if (into.value == "DIR") {
        into.kind = argument_kind::directory;
    }
}

command_argument read_argument(const CLI::Option& from) {
    command_argument out;
    for (const std::string& name : from.get_snames()) out.names.push_back('-' + name);
    for (const std::string& name : from.get_lnames()) out.names.push_back("--" + name);
    if (!from.nonpositional()) out.names = {from.get_name(true)};
    out.description = from.get_description();
    out.is_required = from.get_required();
    out.is_repeatable = from.get_items_expected_max() > 1;
    read_value(from, out);
    return out;
}

command_node read(const CLI::App& app, const std::string& above) {
    command_node out;
    out.name = app.get_name();
    out.path = above.empty() ? out.name : above + ' ' + out.name;
    out.description = app.get_description();
    const std::string footer = app.get_footer();
    for (std::string line : split(footer, '\n'))
        if (line.starts_with("  ")) out.example += (out.example.empty() ? "" : "\n") + line.substr(2);
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        (option->nonpositional() ? out.options : out.positionals).push_back(read_argument(*option));
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
        out.commands.push_back(read(*command, out.path));
    return out;
}

}  // namespace

std::string command_node::usage() const {
    std::string out = path;
    if (!commands.empty()) out += " COMMAND";
    for (const command_argument& p : positionals) {
        const std::string text = p.value + (p.is_repeatable ? "..." : "");
        out += p.is_required ? ' ' + text : " [" + text + ']';
    }
    return out + " [OPTIONS]";
}

command_node read_command_tree(const CLI::App& app) { return read(app, ""); }

std::vector<const command_node*> all_commands(const command_node& root) {
    std::vector<const command_node*> out{&root};
    for (const command_node& c : root.commands) {
        const auto below = all_commands(c);
        out.insert(out.end(), below.begin(), below.end());
    }
    return out;
}

std::string shown_names(const command_argument& of) {
    std::string out;
    for (const std::string& name : of.names) out += (out.empty() ? "" : ", ") + name;
    return of.value.empty() ? out : out + ' ' + of.value;
}

}  // namespace mqb::host
