// man_page: one command in the language of man(7).
#include "host/completion/manual.hpp"

#include <algorithm>

namespace mqb::host {

namespace {

constexpr const char* exit_codes =
    ".TP\n0\nDone.\n.TP\n1\nFailed, or something was left unsettled.\n.TP\n2\nBad configuration or command line.\n.TP\n3\nWith "
    "\\-\\-strict: "
    "something was dead\\-lettered.\n";

std::string escaped(const std::string& text) {
    std::string out;
    bool is_line_start = true;
    for (const char c : text) {
        if (is_line_start && (c == '.' || c == '\'')) out += "\\&";
        is_line_start = c == '\n';
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string joined(const std::string& path) {
    std::string out = path;
    std::replace(out.begin(), out.end(), ' ', '-');
    return out;
}

std::string entry(const std::string& head, const command_argument& of) {
    std::string text = of.description;
    if (!of.choices.empty()) {
        text += "; one of";
        for (std::size_t i = 0; i < of.choices.size(); ++i) text += (i == 0 ? " " : ", ") + of.choices[i];
    }
    return ".TP\n.B " + escaped(head) + '\n' + escaped(text) + (text.ends_with('.') ? "\n" : ".\n");
}

void add_see_also(const command_node& of, const command_node& root, std::string& to) {
    std::vector<const command_node*> others;
    for (const command_node* c : all_commands(root)) {
        const bool is_above = of.path.starts_with(c->path + ' ');
        const bool is_below = c->path.starts_with(of.path + ' ') && c->path.find(' ', of.path.size() + 1) == std::string::npos;
        if (is_above || is_below) others.push_back(c);
    }
    if (others.empty()) return;
    to += ".SH SEE ALSO\n";
    for (std::size_t i = 0; i < others.size(); ++i)
        to += ".BR " + escaped(joined(others[i]->path)) + " (1)" + (i + 1 < others.size() ? "," : "") + '\n';
}

}  // namespace

std::string man_page_name(const command_node& of) { return joined(of.path) + ".1"; }

std::string man_page(const command_node& of, const command_node& root, const std::string& version) {
    std::string title = joined(of.path);
    std::transform(title.begin(), title.end(), title.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    std::string out = ".TH " + escaped(title) + " 1 \"\" \"" + root.name + ' ' + version + "\" \"User Commands\"\n";
    out += ".SH NAME\n" + escaped(joined(of.path)) + " \\- " + escaped(of.description) + '\n';
    out += ".SH SYNOPSIS\n.B " + escaped(of.usage()) + '\n';
    if (!of.commands.empty()) {
        out += ".SH COMMANDS\n";
        for (const command_node& c : of.commands) out += ".TP\n.B " + escaped(c.name) + '\n' + escaped(c.description) + ".\n";
    }
    if (!of.positionals.empty()) {
        out += ".SH ARGUMENTS\n";
        for (const command_argument& p : of.positionals) out += entry(p.value, p);
    }
    if (!of.options.empty()) out += ".SH OPTIONS\n";
    for (const command_argument& o : of.options) out += entry(shown_names(o), o);
    out += std::string{".SH EXIT STATUS\n"} + exit_codes;
    if (!of.example.empty()) out += ".SH EXAMPLE\n.EX\n" + escaped(of.example) + "\n.EE\n";
    add_see_also(of, root, out);
    return out;
}

}  // namespace mqb::host
