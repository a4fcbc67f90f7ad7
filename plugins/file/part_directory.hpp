// Part directory: files that are each called after the positions of what they hold, and are there whole or not at all.
//
// part-<source>-<partition, 10 digits>-<first number, 20 digits>-<last, 20 digits>.<extension>
// While it is written, a part has .tmp for its end. One publisher of the machine writes into a directory at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "held_file.hpp"
#include "source_position.hpp"

namespace mqb::file {

// closed -> open -> closed. One thread at a time.
class part_directory {
public:
    part_directory(std::string path, std::string extension);
    part_directory(const part_directory&) = delete;
    part_directory& operator=(const part_directory&) = delete;
    ~part_directory() { drop(); }

    // Makes it if it is not there, looks which parts it has, and removes what an earlier publisher did not finish. durable: it is there
    // after a power cut, too. Throws sdk::failure.
    void open(bool durable = false);
    // Whether a part holds this position, also the one that is begun.
    bool has(const source_position& at) const;

    // Begins a part with the message that stands there. 0 or errno.
    int begin(const source_position& at);
    bool is_begun() const noexcept { return descriptor_ >= 0; }
    // Whether the message that stands there is the next of the part.
    bool continues(const source_position& at) const noexcept;  // none is begun: false
    void extend() noexcept { ++last_; }
    // 0 or errno.
    int write(std::string_view text);
    // Brings the part to the disk and gives it its name; one that is there already stays. 0 or errno, then nothing of it is left.
    int finish();
    // Leaves nothing of the part.
    void drop() noexcept;
    // Brings the names to the disk. 0 or errno.
    int sync() const;

    const std::string& path() const noexcept { return path_; }

private:
    using ranges = std::map<std::uint64_t, std::uint64_t>;  // first and last number, apart from each other

    static void add(ranges& to, std::uint64_t first, std::uint64_t last);
    void look();

    std::string path_, extension_;
    held_file lock_;
    std::vector<std::string> unsynced_;                 // folders that were made
    std::map<std::string, ranges, std::less<>> parts_;  // by source and partition
    mutable std::string key_;                           // scratch
    int descriptor_ = -1;
    std::string source_, begun_;  // of the part: the source, and its name while it is written
    std::uint64_t partition_ = 0, first_ = 0, last_ = 0;
};

}  // namespace mqb::file
