// describe: what a plugin library says about itself, asked in a child process, so that a file which crashes or hangs while it is
// opened hurts nobody.
#pragma once

#include "core/result.hpp"
#include "host/loading/offer.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mqb::loading {

struct description {
    std::string name;
    std::string version;
    std::string licence;
    std::uint32_t draft = 0;
    std::vector<offer> offers;
};

[[nodiscard]] std::string to_json(const description& d);
[[nodiscard]] core::result<description> description_from_json(std::string_view json);

// Starts children.
class describer {
public:
    // command: what to run with the file as last argument, and which then calls describe_main. Empty: the child is a plain
    // fork, for a process that has no other thread yet: locks that another one holds would stay locked in the child.
    explicit describer(std::vector<std::string> command = {}, std::chrono::milliseconds limit = std::chrono::seconds{30})
        : command_(std::move(command)), limit_(limit) {}
    // Waits for the child, at most for the limit; then it is killed. Texts name the file.
    [[nodiscard]] core::result<description> describe(const std::filesystem::path& file) const;

private:
    std::vector<std::string> command_;
    std::chrono::milliseconds limit_;
};

// The hidden argument of the host's binary: `mqbridge --describe-plugin FILE` calls describe_main(FILE).
inline constexpr const char* describe_argument = "--describe-plugin";
// Opens the file and prints its description, or {"why": text}, to standard output. What the file itself prints goes to standard
// error. Ends the process: 0 if the file can be used.
[[noreturn]] void describe_main(const char* file);

}  // namespace mqb::loading
