// markdown: the reference of all commands, as it stands in docs/command-line.md.
#include "host/completion/manual.hpp"

namespace mqb::host {

namespace {

// For a cell of a table.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string{"\\|"} : std::string(1, c);
    return out;
}

std::string row(const std::string& head, const command_argument& of) {
    std::string text = of.description;
    if (of.kind == argument_kind::choice) {
        text += ':';
        for (std::size_t i = 0; i < of.choices.size(); ++i) text += (i == 0 ? " `" : ", `") + of.choices[i] + '`';
    }
    return "| `" + cell(head) + "` | " + cell(text) + " |\n";
}

void one_command(const command_node& c, std::string& to) {
    to +=
        "\n### " + c.path + "\n\n" + c.description + (c.description.ends_with('.') ? "" : ".") + "\n\n```text\n" + c.usage() + "\n```\n\n";
    to += "| Argument or option | Meaning |\n|---|---|\n";
    for (const command_node& sub : c.commands) to += "| `" + sub.name + "` | " + cell(sub.description) + " |\n";
    for (const command_argument& p : c.positionals) to += row(p.value, p);
    for (const command_argument& o : c.options) to += row(shown_names(o), o);
    if (!c.example.empty()) to += "\n```sh\n" + c.example + "\n```\n";
}

}  // namespace

std::string markdown(const command_node& root) {
    std::string out;
    for (const command_node* c : all_commands(root)) one_command(*c, out);
    return out;
}

}  // namespace mqb::host
