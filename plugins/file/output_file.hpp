// Output file: appends to one file, and takes back a batch that could not be written whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::file {

// closed -> open -> closed. One thread at a time.
class output_file {
public:
    explicit output_file(std::string path) : path_(std::move(path)) {}
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file() { close(); }

    // Makes the file if it is not there. Throws sdk::failure. True: its last record lacks the delimiter.
    bool open(char delimiter, bool durable);
    void close() noexcept;

    // Notes where a batch begins. False: the file was removed under us and must be opened again.
    bool begin_batch();
    // 0, or errno; then `written` says how much of the batch is in the file.
    int write(std::string_view text);
    std::uint64_t written() const noexcept { return written_; }
    // Cuts the file to where the batch began. False: that is not possible, and what was written stays.
    bool take_back();
    // 0, or errno. What is not a file is never synchronised.
    int sync();

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    int descriptor_ = -1;
    bool regular_ = true;
    bool was_full_ = false;      // the disk was full: ask for space before using it
    std::uint64_t begin_ = 0;    // size of the file before the batch
    std::uint64_t written_ = 0;  // bytes of the batch in the file
};

}  // namespace mqb::file
