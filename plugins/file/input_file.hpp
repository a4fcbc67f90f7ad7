// Input file: the bytes of one file from its beginning, with every way in which the file may fail under the reader.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mqb::file {

// closed -> open -> closed. Every failure is thrown as sdk::failure with the path and the reason. One thread at a time.
class input_file {
public:
    explicit input_file(std::string path) : path_(std::move(path)) {}
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;
    ~input_file() { close(); }

    // From the first byte; after a failure of the same file from where it was (true). missing_is_final: a file that is not there
    // is an error of the configuration, not one to wait out.
    bool open(bool missing_is_final);
    void close() noexcept;

    // Reads what is there; 0: nothing now. Does not wait: of a pipe it takes only what has come.
    std::size_t read(std::span<char> to);

    // What has been read is still there, and the name is still the file's. For when nothing comes.
    void check_not_cut();
    void check_still_named();

    // Nothing more will ever come; for certain of a pipe whose other end is closed.
    bool is_over() const noexcept { return over_; }
    // It has an end that can be reached now, even if it may be moved later.
    bool has_end() const noexcept { return regular_; }

    std::uint64_t position() const noexcept { return position_; }
    // Reads on from this byte.
    void go_to(std::uint64_t position);
    // The next open begins at the first byte whatever the file.
    void forget() noexcept { position_ = 0; }
    std::uint64_t size() const;
    // The first bytes, as many as there are; reading goes on where it was.
    std::string first_bytes(std::size_t most) const;
    int descriptor() const noexcept { return descriptor_; }
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    int descriptor_ = -1;
    bool regular_ = true;
    bool over_ = false;
    std::uint64_t position_ = 0;
    std::uint64_t device_ = 0, inode_ = 0;
};

}  // namespace mqb::file
