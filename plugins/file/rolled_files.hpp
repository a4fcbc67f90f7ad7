// Rolled files: what an output file is called when the next one is begun under its name.
//
// orders.csv becomes orders-20261130T112347.123Z.csv, the time in UTC at which it was left. Sorted by name they stand in the order in
// which they were written, and before the file that is written now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::file {

// Milliseconds since 1970 as 20261130T112347.123Z, and back; nothing where that is no such time.
std::string rolling_time(std::int64_t at_ms);
std::optional<std::int64_t> rolling_time_of(std::string_view text);

// Renames, and never in the place of another file. 0 or errno: EEXIST.
int rename_to_new(const std::string& from, const std::string& to);

class rolled_files {
public:
    explicit rolled_files(std::string path);

    // Looks which there are, after the file was opened. Where its path is a symbolic link, they are beside what it means. Throws nothing:
    // a folder that cannot be read has none.
    void look();
    // Renames the file. Its time is at_ms, or later: no clock puts a name before another, or in the place of one. 0 or errno; then
    // nothing was renamed.
    int roll(std::int64_t at_ms);
    // Removes the oldest until `most` are left. 0 or the errno of the first that could not be removed.
    int remove_beyond(std::size_t most);

private:
    std::vector<std::string> names() const;
    std::string name_of(std::int64_t at_ms) const;

    void take_apart(const std::string& path);

    std::string path_;                              // as it was given
    std::string file_, folder_, stem_, extension_;  // what it means
    std::int64_t last_ms_ = 0;                      // no other is later
};

}  // namespace mqb::file
