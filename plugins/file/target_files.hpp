// Target files: those that an output with a template has open, a bounded number of them.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <mqb/sdk/host.hpp>

#include "config.hpp"
#include "publisher.hpp"

namespace mqb::file {

// One thread at a time.
class target_files {
public:
    target_files(mqb_host* host, const config& of) : host_(host), config_(of) {}
    target_files(const target_files&) = delete;
    target_files& operator=(const target_files&) = delete;

    // The file of that path, open; the folders that it lacks are made. Where too many would be open, the one that was asked for least
    // recently is closed, which brings it to the disk as the end of the route does. Throws sdk::failure.
    publisher& open(const std::string& path);
    // The same if it is open; null: it is not.
    publisher* find(const std::string& path);
    // The next time it is opened again.
    void drop(const std::string& path);
    // Closes those that have to be opened again. Empty, or why the first of them.
    std::string drop_unsynced();

private:
    struct open_file {
        std::string path;
        std::unique_ptr<publisher> by;
    };
    void make_folders(const std::string& path) const;

    mqb_host* host_;
    const config& config_;
    std::list<open_file> all_;  // the one that was asked for last is the first
    std::unordered_map<std::string_view, std::list<open_file>::iterator> by_path_;
};

}  // namespace mqb::file
