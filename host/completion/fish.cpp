// fish: one line for each option and command, with the condition under which it is offered.
#include "host/completion/shells.hpp"

namespace mqb::host {

namespace {

// In single quotes.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + '\'';
}

// True where the words so far mean this command and none below it.
std::string condition(const command_node& c) {
    std::string out;
    for (std::size_t at = c.path.find(' '); at != std::string::npos;) {
        const std::size_t next = c.path.find(' ', at + 1);
        out += (out.empty() ? "" : "; and ") + std::string{"__fish_seen_subcommand_from "} + c.path.substr(at + 1, next - at - 1);
        at = next;
    }
    if (out.empty()) return "__fish_use_subcommand";
    if (!c.commands.empty()) out += "; and not __fish_seen_subcommand_from";
    for (const command_node& sub : c.commands) out += ' ' + sub.name;
    return out;
}

std::string value_of(const command_argument& of) {
    switch (of.kind) {
        case argument_kind::choice: {
            std::string all;
            for (const std::string& choice : of.choices) all += (all.empty() ? "" : " ") + choice;
            return " -x -a " + quoted(all);
        }
        case argument_kind::file: return " -r -F";
        case argument_kind::directory: return " -x -a '(__fish_complete_directories)'";
        case argument_kind::text: break;
    }
    return " -x";
}

std::string one_command(const command_node& root, const command_node& c) {
    const std::string head = "complete -c " + root.name + " -n " + quoted(condition(c));
    std::string out;
    for (const command_node& sub : c.commands) out += head + " -f -a " + sub.name + " -d " + quoted(sub.description) + '\n';
    for (const command_argument& o : c.options) {
        out += head;
        for (const std::string& name : o.names) out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        out += (o.value.empty() ? " -f" : value_of(o)) + " -d " + quoted(o.description) + '\n';
    }
    if (c.commands.empty() && !c.positionals.empty()) {
        const command_argument& first = c.positionals.front();
        if (first.kind == argument_kind::file) {
            out += head + " -F\n";
        } else {
            out += head + (first.kind == argument_kind::text ? " -f" : " -f" + value_of(first).substr(3)) + '\n';
        }
    }
    return out;
}

}  // namespace

std::string fish_completion(const command_node& root) {
    std::string out =
        "# fish completion of " + root.name + "; made by `" + root.name + " completion fish`\ncomplete -c " + root.name + " -f\n";
    for (const command_node* c : all_commands(root)) out += one_command(root, *c);
    return out;
}

}  // namespace mqb::host
