#include "read_mark.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <unistd.h>

#include <mqb/sdk/status.hpp>

namespace mqb::file {

std::string bytes_at(int file, std::uint64_t at, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const ssize_t got = ::pread(file, bytes.data() + have, size - have, static_cast<off_t>(at + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw sdk::disconnected("cannot read at byte ", at + have, ": ", std::generic_category().message(errno));
        if (got == 0) break;
        have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
}

void read_mark::start(int file, std::uint64_t position) {
    head_ = bytes_at(file, 0, std::min<std::uint64_t>(position, most_head));
    const std::uint64_t tail = std::min<std::uint64_t>(position, most_tail);
    tail_ = bytes_at(file, position - tail, tail);
    position_ = position;
}

void read_mark::add(std::string_view bytes) {
    if (head_.size() < most_head && head_.size() == position_) head_ += bytes.substr(0, most_head - head_.size());
    position_ += bytes.size();
    if (bytes.size() >= most_tail) {
        tail_ = bytes.substr(bytes.size() - most_tail);
    } else {
        tail_ += bytes;
        if (tail_.size() > most_tail) tail_.erase(0, tail_.size() - most_tail);
    }
}

bool read_mark::holds_in(int file) const {
    return bytes_at(file, position_ - tail_.size(), tail_.size()) == tail_ && bytes_at(file, 0, head_.size()) == head_;
}

}  // namespace mqb::file
