// Input file: the bytes of one file from some place on, with every way in which the file may change or fail under the reader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "read_mark.hpp"

namespace mqb::file {

// What a path names now.
enum class naming { same, nothing, other, other_empty };

// closed -> open -> closed. Every failure is thrown as sdk::failure with the path and the reason. One thread at a time.
class input_file {
public:
    explicit input_file(std::string path) : path_(std::move(path)) {}
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;
    ~input_file() { close(); }

    // Reading begins at the first byte. missing_is_final: a file that is not there is an error of the configuration, not one to
    // wait out.
    void open(bool missing_is_final);
    // After a failure to read it: the same file anew, at the same place, if its path still names it.
    void reopen();
    // It is this one now, whatever its path names; reading goes on at this byte. When that fails it is the one it was. known: what it
    // has, if it was not cut since.
    void take_over(int descriptor, std::uint64_t position, const read_mark& known);
    void close() noexcept;

    // Reads what is there; 0: nothing now. Does not wait: of a pipe it takes only what has come. What is read is what stands behind
    // the bytes that were read before: of a file that was cut nothing more is read.
    std::size_t read(std::span<char> to);

    // What has been read does not stand there any more.
    bool is_cut();
    // The same, seen by whoever knows what the bytes mean.
    void give_up() noexcept { cut_ = true; }
    naming named_by(const std::string& path) const;
    bool is_removed() const;

    // Nothing more will ever come; for certain of a pipe whose other end is closed.
    bool is_over() const noexcept { return over_; }
    // It has an end that can be reached now, even if it may be moved later.
    bool has_end() const noexcept { return regular_; }
    // A file that others may rename or cut.
    bool can_change() const noexcept;

    std::uint64_t position() const noexcept { return position_; }
    // Reads on from this byte.
    void go_to(std::uint64_t position);
    // The same for a byte that was passed: a file that does not have any more what was read is cut, and nothing more is read of it.
    void go_back(std::uint64_t position);
    // The same for its end, or that of its last whole record if that is not far before: a record that is being written is a new one.
    // What takes the place of what stands there meanwhile is not passed over.
    void go_to_end_of_records(char delimiter);
    std::uint64_t size() const;
    // The first bytes, as many as there are; reading goes on where it was.
    std::string first_bytes(std::size_t most) const { return bytes_at(descriptor_, 0, most); }
    const read_mark& mark() const noexcept { return mark_; }
    int descriptor() const noexcept { return descriptor_; }
    const std::string& path() const noexcept { return path_; }
    std::uint64_t device() const noexcept { return device_; }
    std::uint64_t inode() const noexcept { return inode_; }
    std::uint64_t born() const;  // when it was made, ns since 1970; 0: the file system does not say

private:
    std::uint64_t end_of_records(char delimiter) const;

    std::string path_;
    int descriptor_ = -1;
    bool regular_ = true;
    bool over_ = false;
    bool cut_ = false;
    std::uint64_t position_ = 0;
    std::uint64_t device_ = 0, inode_ = 0;
    read_mark mark_;
};

}  // namespace mqb::file
