// message: one message as plugin code reads it, and lists of them walked by their stride.
#pragma once

#include <mqb/sdk/metadata.hpp>
#include <mqb/sdk/text.hpp>

#include <cstring>

namespace mqb::sdk {

namespace detail {

// Range-for over anything that has operator[] and is addressed by index.
template <class Range>
struct by_index {
    const Range* range;
    std::uint32_t at;
    auto operator*() const noexcept { return (*range)[at]; }
    by_index& operator++() noexcept { return ++at, *this; }
    bool operator!=(const by_index& other) const noexcept { return at != other.at; }
};

}  // namespace detail

// Borrowed: valid as long as the message that it looks at. One pointer and an index.
class message_view {
public:
    explicit message_view(const mqb_message* raw, std::uint32_t index = 0) noexcept : raw_(raw), index_(index) {}

    std::uint32_t index() const noexcept { return index_; }  // in the call's array
    const mqb_message& raw() const noexcept { return *raw_; }
    std::span<const std::uint8_t, 16> id() const noexcept { return std::span<const std::uint8_t, 16>(raw_->id); }
    bool has_id() const noexcept {
        static constexpr std::uint8_t none[16] = {};
        return std::memcmp(raw_->id, none, sizeof none) != 0;
    }
    std::uint64_t lane() const noexcept { return raw_->lane; }
    std::uint32_t delivery_count() const noexcept { return raw_->delivery_count; }

    bool is_null() const noexcept { return raw_->payload.data == nullptr; }  // a tombstone; not the same as empty
    byte_view payload() const noexcept { return bytes_of(raw_->payload); }
    std::string_view text() const noexcept { return view(raw_->payload); }
    metadata_view metadata() const noexcept { return metadata_view(raw_->metadata); }

private:
    const mqb_message* raw_;
    std::uint32_t index_;
};

// Range-for over a list of messages of either side.
class message_list {
public:
    explicit message_list(const mqb_list& raw) noexcept : raw_(&raw) {}
    std::uint32_t size() const noexcept { return raw_->count; }
    message_view operator[](std::uint32_t at) const noexcept { return message_view(mqb_message_at(raw_, at), at); }
    detail::by_index<message_list> begin() const noexcept { return {this, 0}; }
    detail::by_index<message_list> end() const noexcept { return {this, size()}; }

private:
    const mqb_list* raw_;
};

}  // namespace mqb::sdk
