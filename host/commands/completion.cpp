#include "host/commands/completion.hpp"

#include "host/commands/commands.hpp"
#include "host/completion/manual.hpp"
#include "host/completion/shells.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace mqb::host {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    if (!(out << text << std::flush)) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace

int print_completion(const completion_options& options, const CLI::App& app) {
    const command_node root = read_command_tree(app);
    std::cout << (options.shell == "bash" ? bash_completion(root) : options.shell == "zsh" ? zsh_completion(root) : fish_completion(root));
    return std::cout.flush() ? exit_done : exit_failed;
}

int write_manual(const manual_options& options, const CLI::App& app) {
    const command_node root = read_command_tree(app);
    if (options.form == "markdown") return std::cout << markdown(root) << std::flush ? exit_done : exit_failed;
    try {
        const fs::path to = options.output.empty() ? "." : options.output;
        for (const command_node* c : all_commands(root)) write(to / "man" / man_page_name(*c), man_page(*c, root, MQB_VERSION));
        write(to / "completion" / root.name, bash_completion(root));
        write(to / "completion" / ('_' + root.name), zsh_completion(root));
        write(to / "completion" / (root.name + ".fish"), fish_completion(root));
    } catch (const std::exception& e) {
        std::cerr << "manual: " << e.what() << '\n';
        return exit_failed;
    }
    return exit_done;
}

}  // namespace mqb::host
