// bash: the words behind the program decide which command is meant; then its options, commands or values are offered.
#include "host/completion/shells.hpp"

#include <utility>

namespace mqb::host {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
    return out;
}

// Fills COMPREPLY.
std::string offer(const command_argument& of) {
    switch (of.kind) {
        case argument_kind::choice: return "COMPREPLY=($(compgen -W '" + joined(of.choices, " ") + "' -- \"$word\"))";
        case argument_kind::file: return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))";
        case argument_kind::directory: return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))";
        case argument_kind::text: break;
    }
    return ":";
}

// One case of each command: what its options take, what it offers by itself.
std::string one_command(const command_node& c) {
    std::string values, options, words;
    for (const command_argument& o : c.options) {
        options += (options.empty() ? "" : " ") + joined(o.names, " ");
        if (!o.value.empty()) values += "                " + joined(o.names, "|") + ") " + offer(o) + "; return ;;\n";
    }
    for (const command_node& sub : c.commands) words += (words.empty() ? "" : " ") + sub.name;
    std::string out = "        '" + c.path + "')\n";
    if (!values.empty()) out += "            case $before in\n" + values + "            esac\n";
    out += "            if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '" + options + "' -- \"$word\"))\n            else ";
    if (!words.empty()) {
        out += "COMPREPLY=($(compgen -W '" + words + "' -- \"$word\"))";
    } else {
        out += c.positionals.empty() ? ":" : offer(c.positionals.front());
    }
    return out + "\n            fi ;;\n";
}

}  // namespace

std::string bash_completion(const command_node& root) {
    std::string known, cases;
    for (const command_node* c : all_commands(root)) {
        if (c != &root) known += (known.empty() ? "'" : "|'") + c->path + '\'';
        cases += one_command(*c);
    }
    std::string out = "# bash completion of " + root.name + "; made by `" + root.name + " completion bash`\n";
    out +=
        "_" + root.name + "() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='" + root.name +
        "' i\n    COMPREPLY=()\n    for ((i = 1; i < COMP_CWORD; i++)); do\n        case \"$command ${COMP_WORDS[i]}\" in\n            " +
        known + ") command+=\" ${COMP_WORDS[i]}\" ;;\n        esac\n    done\n    case $command in\n" + cases +
        "    esac\n}\ncomplete -F _" + root.name + ' ' + root.name + '\n';
    return out;
}

}  // namespace mqb::host
