// metadata_edit: a metadata block like another one but for some text entries.
//
//   block := entry*
//   entry := type:u8 zero:u8 key-size:u16 value-size:u32 key value        little-endian
//
// The grammar is that of the plugin ABI (metadata.h), which core does not include.
#pragma once

#include "core/message.hpp"

#include <span>
#include <string_view>
#include <utility>

namespace mqb::core {

// A counted buffer. Not thread-safe by itself; what retains the buffer's owner may be on any thread.
class counted_block {
public:
    counted_block() = default;
    explicit counted_block(std::size_t size);
    counted_block(counted_block&& other) noexcept : value_(std::exchange(other.value_, buffer{})) {}
    counted_block& operator=(counted_block&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~counted_block() {
        if (value_.owner) value_.owner->release(value_.owner);
    }
    [[nodiscard]] const buffer& get() const noexcept { return value_; }
    // To be written before the first other holder.
    [[nodiscard]] std::uint8_t* bytes() const noexcept { return const_cast<std::uint8_t*>(value_.data); }

private:
    buffer value_;
};

// One text entry to set. A value whose data is null: the key is removed.
struct text_edit {
    std::string_view key;
    std::string_view value = {};
};

[[nodiscard]] bool has_key(const buffer& block, std::string_view key) noexcept;
// What `key` says, where it is a text entry; the last one counts.
[[nodiscard]] std::string_view text_of(const buffer& block, std::string_view key) noexcept;
// An entry as it stands in the block; type -1: there is none of that key.
struct metadata_entry {
    int type = -1;
    std::string_view value;
};
// The last one counts.
[[nodiscard]] metadata_entry last_entry(const buffer& block, std::string_view key) noexcept;
// All entries of these keys go, then the new ones stand at the end in the order given; all else is the same bytes in the same
// order, also what cannot be read. A block that would pass the bounds of the ABI stays as it is: the answer is empty.
[[nodiscard]] counted_block edited(const buffer& block, std::span<const text_edit> edits);

}  // namespace mqb::core
