// metadata_writer: the ways to add an entry, shared by a block of one's own and by the messages of a batch.
#pragma once

#include <mqb/sdk/metadata.hpp>

#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace mqb::sdk {

namespace detail {

// memcpy for what is mostly short: keys and numbers. No call below 17 bytes.
inline void copy_short(std::uint8_t* to, const char* from, std::size_t size) noexcept {
    if (size > 16) {
        std::memcpy(to, from, size);
    } else if (size >= 8) {
        std::memcpy(to, from, 8), std::memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        std::memcpy(to, from, 4), std::memcpy(to + size - 4, from + size - 4, 4);
    } else if (size) {
        to[0] = static_cast<std::uint8_t>(from[0]), to[size / 2] = static_cast<std::uint8_t>(from[size / 2]);
        to[size - 1] = static_cast<std::uint8_t>(from[size - 1]);
    }
}

// Eight bytes, little-endian, in one store where the machine has them in this order.
inline void put8_le(std::uint8_t* to, std::uint64_t bits) noexcept {
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(to, &bits, 8);
    else
        mqb_put_le(to, bits, 8);
}

// One entry at `to`, which has room for 8 + key + value bytes: what mqb_meta_put does, for sizes that are known to be good.
inline void write_entry(std::uint8_t* to, int type, std::string_view key, std::string_view value) noexcept {
    const std::uint64_t head = static_cast<std::uint8_t>(type) | std::uint64_t{key.size()} << 16 | std::uint64_t{value.size()} << 32;
    put8_le(to, head);
    copy_short(to + 8, key.data(), key.size());
    copy_short(to + 8 + key.size(), value.data(), value.size());
}

}  // namespace detail

// Derived has `void put(int type, std::string_view key, std::string_view value)`.
template <class Derived>
class metadata_writer {
public:
    Derived& null(std::string_view key) { return put(MQB_META_NULL, key, {}); }
    Derived& text(std::string_view key, std::string_view value) { return put(MQB_META_TEXT, key, value); }
    Derived& raw_bytes(std::string_view key, std::string_view value) { return put(MQB_META_BYTES, key, value); }
    Derived& json(std::string_view key, std::string_view value) { return put(MQB_META_JSON, key, value); }
    Derived& flag(std::string_view key, bool value) { return put(MQB_META_BOOL, key, std::string_view(value ? "\1" : "\0", 1)); }
    Derived& number(std::string_view key, std::int64_t value) { return put8(MQB_META_INT, key, static_cast<std::uint64_t>(value)); }
    Derived& real(std::string_view key, double value) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return put8(MQB_META_DOUBLE, key, bits);
    }
    Derived& time(std::string_view key, time_point value) {
        char raw[12];
        mqb_put_le(reinterpret_cast<std::uint8_t*>(raw), static_cast<std::uint64_t>(value.seconds), 8);
        mqb_put_le(reinterpret_cast<std::uint8_t*>(raw) + 8, value.nanoseconds, 4);
        return put(MQB_META_TIME, key, {raw, sizeof raw});
    }
    // An entry as it is, under the same or another key.
    Derived& entry(const metadata_entry& entry) { return put(entry.type(), entry.key(), entry.value()); }
    Derived& entry(std::string_view key, const metadata_entry& entry) { return put(entry.type(), key, entry.value()); }

private:
    Derived& put(int type, std::string_view key, std::string_view value) {
        static_cast<Derived*>(this)->put_entry(type, key, value);
        return *static_cast<Derived*>(this);
    }
    Derived& put8(int type, std::string_view key, std::uint64_t bits) {
        char raw[8];
        detail::put8_le(reinterpret_cast<std::uint8_t*>(raw), bits);
        return put(type, key, {raw, sizeof raw});
    }
};

// A block in memory of its own; grows, can be cleared and used again. Threads: one at a time.
class metadata_block : public metadata_writer<metadata_block> {
public:
    metadata_block() = default;
    explicit metadata_block(metadata_view from) { append(from); }

    void put_entry(int type, std::string_view key, std::string_view value) {
        if (key.empty() || key.size() > UINT16_MAX || value.size() > MQB_META_MAX_SIZE) throw rejected_key();
        const std::size_t at = data_.size();
        data_.resize(at + 8 + key.size() + value.size());
        detail::write_entry(data_.data() + at, type, key, value);
    }
    metadata_block& append(metadata_view block) {
        if (!block.empty()) data_.insert(data_.end(), block.raw().data, block.raw().data + block.raw().size);
        return *this;
    }
    // Everything of `block` but the entries for which `drop(key)` holds.
    template <class Drop>
    metadata_block& append_without(metadata_view block, Drop drop) {
        for (const metadata_entry& one : block)
            if (!drop(one.key())) entry(one);
        return *this;
    }
    void clear() noexcept { data_.clear(); }
    bool empty() const noexcept { return data_.empty(); }
    // Without owner: valid until the block changes.
    mqb_buffer buffer() const noexcept { return {data_.data(), data_.size(), nullptr}; }
    metadata_view view() const noexcept { return metadata_view(buffer()); }

private:
    static std::length_error rejected_key() { return std::length_error("a metadata key has 1 to 65535 bytes, a value at most 16 MiB"); }
    std::vector<std::uint8_t> data_;
};

}  // namespace mqb::sdk
