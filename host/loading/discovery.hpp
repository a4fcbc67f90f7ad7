// discovery: where plugin libraries are looked for, and which files are there. Opens none of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mqb::loading {

// What the command line and the environment say about plugins.
struct search_options {
    std::vector<std::filesystem::path> plugin_files;  // --plugin FILE: trusted, before everything else
    std::vector<std::filesystem::path> plugin_dirs;   // --plugin-dir DIR, nearest first
    std::filesystem::path binary;                     // the program; empty: no directory beside it
    std::filesystem::path prefix;                     // of the installation; empty: none
    std::string environment_path;                     // MQB_PLUGIN_PATH or MQB_PLUGIN_DIR: colon-separated
    std::filesystem::path data_home;                  // $XDG_DATA_HOME, else ~/.local/share; empty: none
    std::vector<std::string> allowed_sha256;          // lower-case hex; empty: every sum is allowed

    // Everything but the command line: the environment, the running binary, and the prefix of which it is `bin/…`.
    [[nodiscard]] static search_options from_environment();
};

// A directory that is searched.
struct search_place {
    std::filesystem::path directory;
    bool is_beside_binary = false;  // has a trust rule of its own
};

// Nearest first; only directories that exist, each once.
[[nodiscard]] std::vector<search_place> search_places(const search_options& options);

// A file called libmqb_*.so, or one that was named.
struct found_file {
    std::filesystem::path file;  // as found
    bool is_named = false;       // by --plugin
    bool is_beside_binary = false;
    bool is_shadowed = false;  // a nearer directory has the same file name
    std::filesystem::path shadowed_by;
};

// Every candidate, nearest first, by name within a directory. Looks at names only.
[[nodiscard]] std::vector<found_file> find_files(const search_options& options);

// The NAME of libmqb_NAME.so; empty when the file is called something else.
[[nodiscard]] std::string name_in_file_name(const std::filesystem::path& file);

}  // namespace mqb::loading
