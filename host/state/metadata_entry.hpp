// metadata_entry: one key and its typed value in a metadata block, whose encoding is part of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mqb::state {

enum class metadata_type : std::uint8_t { null = 0, bytes = 1, text = 2, boolean = 3, int64 = 4, float64 = 5, time = 6, json = 7 };

// entry := type:u8 zero:u8 key-size:u16 value-size:u32 key value; little-endian, no padding. Borrows from the block.
struct metadata_entry {
    metadata_type type = metadata_type::null;  // other numbers are kept as they are
    std::string_view key;
    std::string_view value;
};

// Walks a block once.
class metadata_walk {
public:
    explicit metadata_walk(std::string_view block) noexcept : left_(block) {}
    // Empty at the end of the block, and from the first invalid entry on.
    [[nodiscard]] std::optional<metadata_entry> next() noexcept;
    // What was not walked; not empty after the last entry: it is invalid.
    [[nodiscard]] std::string_view left() const noexcept { return left_; }

private:
    std::string_view left_;
};

// `count` bytes, little-endian.
[[nodiscard]] std::uint64_t read_number(std::string_view from, std::size_t count) noexcept;

}  // namespace mqb::state
