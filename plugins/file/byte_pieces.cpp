#include "byte_pieces.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "small_file.hpp"

namespace mqb::file {

bool file_pieces::read_on() {
    const std::size_t size = from_.read(block_.room());
    block_.filled(size);
    if (size == 0 || wait_end_ == 0) return size > 0;
    const bool is_same = sum() == wait_sum_;
    wait_end_ = 0;
    if (is_same) return true;
    block_.clear();
    from_.give_up();
    throw sdk::disconnected("file source '", from_.path(), "' was cut at byte ", wait_begin_,
                            " and written again while it was read; it is read again from its beginning");
}

void file_pieces::wait_inside(std::uint64_t begin) {
    if (!from_.has_end() || wait_end_ == from_.position()) return;
    wait_begin_ = begin;
    wait_end_ = from_.position();
    wait_sum_ = sum();
}

std::uint64_t file_pieces::sum() const {
    constexpr std::uint64_t most = 64 << 10;  // of either: a member of any size is looked at as often as something comes to it
    std::uint64_t sum = 0;
    const std::uint64_t first = std::min(wait_begin_ + most, wait_end_);
    add_to(sum, wait_begin_, first);
    add_to(sum, std::max(first, wait_end_ - std::min(wait_end_, most)), wait_end_);
    return sum;
}

void file_pieces::add_to(std::uint64_t& sum, std::uint64_t begin, std::uint64_t end) const {
    std::array<char, 16384> piece;
    while (begin < end) {
        const ssize_t got =
            ::pread(from_.descriptor(), piece.data(), std::min<std::uint64_t>(end - begin, piece.size()), static_cast<off_t>(begin));
        if (got <= 0) break;
        sum = sum * 31 + checksum({piece.data(), static_cast<std::size_t>(got)});
        begin += static_cast<std::uint64_t>(got);
    }
}

}  // namespace mqb::file
