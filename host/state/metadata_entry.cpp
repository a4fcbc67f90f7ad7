#include "host/state/metadata_entry.hpp"

namespace mqb::state {

std::uint64_t read_number(std::string_view from, std::size_t count) noexcept {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < count; ++i) out |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << (8 * i);
    return out;
}

std::optional<metadata_entry> metadata_walk::next() noexcept {
    constexpr std::size_t head = 8;
    if (left_.size() < head) return std::nullopt;
    const auto key = static_cast<std::size_t>(read_number(left_.substr(2), 2));
    const auto value = static_cast<std::size_t>(read_number(left_.substr(4), 4));
    const std::size_t room = left_.size() - head;
    if (key == 0 || left_[1] != 0 || key > room || value > room - key) return std::nullopt;
    const metadata_entry out{static_cast<metadata_type>(left_[0]), left_.substr(head, key), left_.substr(head + key, value)};
    left_.remove_prefix(head + key + value);
    return out;
}

}  // namespace mqb::state
