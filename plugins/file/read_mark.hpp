// Read mark: the first bytes of a file and the last ones before the place that was reached, to tell whether it still is what was read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::file {

// So many bytes of an open file from this one; fewer where it ends. Throws sdk::failure (disconnected) when they cannot be read.
std::string bytes_at(int file, std::uint64_t at, std::size_t size);

class read_mark {
public:
    // Reading goes on at this place of the file.
    void start(int file, std::uint64_t position);
    // These bytes were read behind it.
    void add(std::string_view bytes);

    // The file has the bytes where they were. Also for a copy of it.
    bool holds_in(int file) const;
    // False: nothing has been read by which one file could be told from another.
    bool tells() const noexcept { return position_ > 0; }
    // The first bytes, as many as are known.
    std::string_view head() const noexcept { return head_; }

private:
    static constexpr std::size_t most_head = 1024, most_tail = 64;

    std::string head_, tail_;
    std::uint64_t position_ = 0;
};

}  // namespace mqb::file
