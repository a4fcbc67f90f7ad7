// zsh: one function for each command, with the specifications that _arguments takes.
#include "host/completion/shells.hpp"

#include <algorithm>

namespace mqb::host {

namespace {

// In single quotes.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
    return out + '\'';
}

// What has a meaning inside a specification.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string action(const command_argument& of) {
    switch (of.kind) {
        case argument_kind::choice: {
            std::string out;
            for (const std::string& choice : of.choices) out += (out.empty() ? "" : " ") + choice;
            return '(' + out + ')';
        }
        case argument_kind::file: return "_files";
        case argument_kind::directory: return "_files -/";
        case argument_kind::text: break;
    }
    return " ";
}

std::string value_of(const command_argument& of) { return of.value.empty() ? "" : ':' + escaped(of.value) + ':' + action(of); }

std::string function_name(const command_node& c) {
    std::string out = "_" + c.path;
    std::replace(out.begin(), out.end(), ' ', '_');
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

std::string arguments_of(const command_node& c) {
    std::string out;
    for (const command_argument& o : c.options)
        for (const std::string& name : o.names)
            out += " \\\n        " + quoted((o.is_repeatable ? "*" : "") + name + '[' + escaped(o.description) + ']' + value_of(o));
    for (const command_argument& p : c.positionals)
        out += " \\\n        " + quoted((p.is_repeatable ? "*" : p.is_required ? "" : ":") + value_of(p));
    return out;
}

std::string one_command(const command_node& c) {
    std::string out = function_name(c) + "() {\n";
    if (c.commands.empty()) return out + "    _arguments -s" + arguments_of(c) + "\n}\n";
    out += "    local line state\n    _arguments -C" + arguments_of(c) + " \\\n        '1: :->command' '*::: :->rest'\n";
    out += "    case $state in\n        command)\n            local -a commands=(";
    for (const command_node& sub : c.commands) out += "\n                " + quoted(sub.name + ':' + sub.description);
    out += ")\n            _describe command commands ;;\n        rest)\n            case $line[1] in\n";
    for (const command_node& sub : c.commands) out += "                " + sub.name + ") " + function_name(sub) + " ;;\n";
    return out + "            esac ;;\n    esac\n}\n";
}

}  // namespace

std::string zsh_completion(const command_node& root) {
    std::string out = "#compdef " + root.name + "\n# zsh completion; made by `" + root.name + " completion zsh`\n";
    for (const command_node* c : all_commands(root)) out += one_command(*c);
    // Loaded by the shell itself, or by hand.
    return out + "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then " + function_name(root) + " \"$@\"; else compdef " +
           function_name(root) + ' ' + root.name + "; fi\n";
}

}  // namespace mqb::host
