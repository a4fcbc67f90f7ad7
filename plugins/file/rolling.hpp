// Rolling: when an output file is left for a new one, and what becomes of those that were left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config.hpp"
#include "rolled_files.hpp"
#include "rolling_period.hpp"

namespace mqb::file {

class rolling {
public:
    // Of a configuration that was checked and rolls.
    rolling(const rolling_config& chosen, const std::string& path);

    // The file was opened; its last record, if it has any, is of this time.
    void opened(std::optional<std::int64_t> last_record_ms);
    // Records were written.
    void wrote(std::int64_t now_ms);

    // Whether bytes before `end` may be in the file.
    bool has_room_until(std::uint64_t end) const noexcept { return !max_bytes_ || end <= *max_bytes_; }
    // Whether the file has records and no other may follow them.
    bool is_over(std::int64_t now_ms) const noexcept { return period_ && has_records_ && period_->is_over(now_ms); }

    // Renames the file. 0, or errno; then it keeps its name.
    int roll(std::int64_t now_ms) { return files_.roll(now_ms); }
    // Removes what was rolled and is not to be kept. 0, or errno.
    int remove_old() { return keep_ == 0 ? 0 : files_.remove_beyond(keep_); }

private:
    rolled_files files_;
    std::optional<std::uint64_t> max_bytes_;
    std::optional<rolling_period> period_;
    std::size_t keep_;
    bool has_records_ = false;
};

}  // namespace mqb::file
