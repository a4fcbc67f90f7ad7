#include "host/config/document.hpp"

#include "host/config/json_reader.hpp"
#include "host/config/yaml_reader.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mqb::config {

namespace {

constexpr std::size_t largest_file = 16u << 20;

void tell_repeated(const tree_builder& tree, findings& to) {
    for (const repeated_key& key : tree.repeated())
        to.error(key.at, "", "the key \"" + key.key + "\" is here twice; the first is in line " + std::to_string(key.before.line));
}

}  // namespace

node_ptr read_document(std::string_view file_name, const std::string& text, findings& to) {
    to.in_file(file_name);
    if (file_name.ends_with(".toml")) {
        to.error({}, "", "TOML is not read: write YAML or JSON");
        return nullptr;
    }
    tree_builder tree;
    try {
        if (file_name.ends_with(".json")) {
            read_json(text, tree);
        } else {
            read_yaml(text, tree);
        }
    } catch (const unreadable& e) {
        tell_repeated(tree, to);
        to.error(e.at, "", e.what());
        return nullptr;
    }
    tell_repeated(tree, to);
    return tree.root();
}

node_ptr read_document_file(const std::string& path, findings& to) {
    to.in_file(path);
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) {
        to.error({}, "", "cannot be read: is a directory");
        return nullptr;
    }
    errno = 0;
    std::ifstream file{path, std::ios::binary};
    std::string text;
    char part[65536];
    while (file && text.size() <= largest_file) {
        file.read(part, sizeof part);
        text.append(part, static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof() && text.size() <= largest_file) {
        to.error({}, "", std::string{"cannot be read: "} + std::strerror(errno != 0 ? errno : EIO));
        return nullptr;
    }
    if (text.size() > largest_file) {
        to.error({}, "", "larger than " + std::to_string(largest_file >> 20) + " MiB");
        return nullptr;
    }
    return read_document(path, text, to);
}

}  // namespace mqb::config
