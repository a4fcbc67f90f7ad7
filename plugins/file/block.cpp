#include "block.hpp"

#include <cstring>

namespace mqb::file {

std::span<char> block::room() {
    const std::size_t unread = end_ - begin_;
    const bool is_large = capacity_ > large;
    const std::size_t most_unread = is_large ? capacity_ - capacity_ / 8 : capacity_ / 2;
    if (capacity_ == 0) {
        resize(usual);
    } else if (unread > most_unread) {
        resize(is_large ? capacity_ + capacity_ / 2 : 2 * capacity_);
    } else if (unread == 0 && capacity_ > 4 * usual) {
        resize(usual);
    } else if (capacity_ - end_ < capacity_ - most_unread || (is_large && unread < begin_ / 8)) {
        std::memmove(bytes_.get(), bytes_.get() + begin_, unread);
        begin_ = 0;
        end_ = unread;
    }
    return {bytes_.get() + end_, capacity_ - end_};
}

void block::resize(std::size_t capacity) {
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity + chunk_padding);
    const std::string_view kept = unread();
    if (!kept.empty()) std::memcpy(bytes.get(), kept.data(), kept.size());
    std::memset(bytes.get() + capacity, 0, chunk_padding);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
    begin_ = 0;
    end_ = kept.size();
}

}  // namespace mqb::file
