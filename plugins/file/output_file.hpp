// Output file: appends to one file, and takes back a batch that could not be written whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "config.hpp"
#include "csv_row_end.hpp"
#include "output_claim.hpp"
#include "packing.hpp"

namespace mqb::file {

// closed -> open -> closed. One thread at a time.
class output_file {
public:
    explicit output_file(std::string path, packing how = {}) : path_(std::move(path)), how_(how), claim_(path_) {}
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file() {
        close();
        if (has_part_) claim_.leave();
    }

    // What the file was like when it was opened.
    struct opened {
        bool unended = false;                     // its last record lacks the delimiter, and is not ours to cut
        std::optional<std::int64_t> modified_ms;  // since 1970; none: it is empty
        std::uint64_t cut = 0;                    // so many bytes of a record that an earlier publisher could not finish were cut
        int uncut = 0;                            // not 0, errno: such bytes may be there, and cannot be seen or cut
        int unclaimed = 0;                        // not 0, errno: after a kill nobody will know what is ours
    };
    // Makes the file if it is not there. row: how a record ends where not every delimiter ends one. Throws sdk::failure.
    opened open(char delimiter, bool durable, const std::optional<csv_row_end>& row = {});
    void close() noexcept;

    // Whether the next byte is the first of the file.
    bool is_empty() const noexcept { return regular_ ? begin_ + written_ == 0 : all_written_ == 0; }
    // The first bytes of the file, at most so many; nothing where it cannot be read.
    std::optional<std::string> start(std::size_t most) const;

    bool is_open() const noexcept { return descriptor_ >= 0; }

    // What became of the file under us.
    enum class fate { here, removed, moved };
    // Notes where a batch begins. moved: the path names another file, or none, and ours has another name.
    fate begin_batch();
    // Where the next byte goes.
    std::uint64_t position() const noexcept { return begin_ + written_; }
    // 0, or errno; then `written` says how much of the batch is in the file.
    int write(std::string_view text);
    std::uint64_t written() const noexcept { return written_; }
    // Cuts the file to where the batch began. False: that is not possible, and what was written stays.
    bool take_back();
    // 0, or errno. Standard output is never synchronised.
    int sync();
    bool is_synced() const noexcept { return path_ != standard_output; }
    // While it is open.
    int descriptor() const noexcept { return descriptor_; }

    const std::string& path() const noexcept { return path_; }

private:
    void sync_directory() const;
    void check_beginning() const;
    opened claim_and_cut(const struct stat& is, char delimiter, bool durable, const std::optional<csv_row_end>& row);
    std::uint64_t end_of_records(std::uint64_t from, std::uint64_t size, char delimiter) const;
    std::uint64_t end_of_rows(std::uint64_t from, std::uint64_t size, const csv_row_end& row) const;
    void move_claim();
    int claim_from(std::uint64_t from, bool durable);
    void watch_others(std::uint64_t size);

    std::string path_;
    packing how_;
    output_claim claim_;
    int descriptor_ = -1;
    bool regular_ = true;
    bool was_full_ = false;  // the disk was full: ask for space before using it
    bool alone_ = false;     // the claim says which bytes are ours
    bool durable_ = false;   // and is on the disk
    bool has_part_ = false;  // of a packed batch, which the next open cuts, here or elsewhere
    output_claim::file_id id_;
    std::uint64_t begin_ = 0;    // size of the file before the batch
    std::uint64_t written_ = 0;  // bytes of the batch in the file
    std::uint64_t claimed_ = 0;  // from where on they are ours
    std::uint64_t all_written_ = 0;
};

}  // namespace mqb::file
