// metadata: a block of metadata as a range of typed entries. metadata_writer.hpp makes blocks, metadata_text.hpp prints values.
#pragma once

#include <mqb/metadata.h>
#include <mqb/sdk/text.hpp>

#include <optional>

namespace mqb::sdk {

// A point in time with the whole range and precision that metadata has.
struct time_point {
    std::int64_t seconds = 0;       // since 1970-01-01T00:00:00Z
    std::uint32_t nanoseconds = 0;  // 0..999999999
    friend bool operator==(const time_point&, const time_point&) = default;

    // From nanoseconds since 1970, such as host().wall().
    static constexpr time_point from_ns(std::int64_t ns) noexcept {
        std::int64_t seconds = ns / 1'000'000'000, rest = ns % 1'000'000'000;
        if (rest < 0) --seconds, rest += 1'000'000'000;
        return {seconds, static_cast<std::uint32_t>(rest)};
    }
    static constexpr time_point from_ms(std::int64_t ms) noexcept {
        std::int64_t seconds = ms / 1000, rest = ms % 1000;
        if (rest < 0) --seconds, rest += 1000;
        return {seconds, static_cast<std::uint32_t>(rest * 1'000'000)};
    }
    constexpr std::int64_t ms() const noexcept { return seconds * 1000 + nanoseconds / 1'000'000; }
};

// One entry; borrows from its block. A reader of the wrong type gives nothing.
class metadata_entry {
public:
    metadata_entry() = default;
    explicit metadata_entry(const mqb_meta& raw) noexcept : raw_(raw) {}

    std::int32_t type() const noexcept { return raw_.type; }  // MQB_META_…
    std::string_view key() const noexcept { return view(raw_.key); }
    std::string_view value() const noexcept { return view(raw_.value); }  // as encoded
    const mqb_meta& raw() const noexcept { return raw_; }

    bool is_null() const noexcept { return raw_.type == MQB_META_NULL; }
    std::optional<std::string_view> as_text() const noexcept { return raw_.type == MQB_META_TEXT ? std::optional(value()) : std::nullopt; }
    std::optional<std::string_view> as_bytes() const noexcept {
        return raw_.type == MQB_META_BYTES ? std::optional(value()) : std::nullopt;
    }
    std::optional<std::string_view> as_json() const noexcept { return raw_.type == MQB_META_JSON ? std::optional(value()) : std::nullopt; }
    std::optional<bool> as_bool() const noexcept {
        int out = 0;
        return mqb_meta_bool(&raw_, &out) ? std::optional(out != 0) : std::nullopt;
    }
    std::optional<std::int64_t> as_int() const noexcept {
        std::int64_t out = 0;
        return mqb_meta_int(&raw_, &out) ? std::optional(out) : std::nullopt;
    }
    std::optional<double> as_double() const noexcept {
        double out = 0;
        return mqb_meta_double(&raw_, &out) ? std::optional(out) : std::nullopt;
    }
    std::optional<time_point> as_time() const noexcept {
        time_point out;
        return mqb_meta_time(&raw_, &out.seconds, &out.nanoseconds) ? std::optional(out) : std::nullopt;
    }

private:
    mqb_meta raw_{};
};

// A whole block in order of insertion; repeated keys are there as often as they are. Ends early at the first invalid entry.
class metadata_view {
public:
    class iterator {
    public:
        using value_type = metadata_entry;
        using difference_type = std::ptrdiff_t;
        iterator() = default;
        explicit iterator(const mqb_buffer* block) noexcept : block_(block) { step(); }
        metadata_entry operator*() const noexcept { return metadata_entry(entry_); }
        iterator& operator++() noexcept { return step(), *this; }
        void operator++(int) noexcept { step(); }
        bool operator==(const iterator& other) const noexcept { return block_ == other.block_ && at_ == other.at_; }

    private:
        void step() noexcept {
            if (mqb_meta_next(block_, &at_, &entry_) != 1) block_ = nullptr, at_ = 0;
        }
        const mqb_buffer* block_ = nullptr;
        std::size_t at_ = 0;  // behind entry_
        mqb_meta entry_{};
    };

    metadata_view() = default;
    explicit metadata_view(const mqb_buffer& block) noexcept : block_(block) {}

    const mqb_buffer& raw() const noexcept { return block_; }
    bool empty() const noexcept { return block_.size == 0; }
    iterator begin() const noexcept { return iterator(&block_); }
    iterator end() const noexcept { return {}; }

    // The last entry with this key.
    std::optional<metadata_entry> get(std::string_view key) const noexcept {
        mqb_meta out;
        return mqb_meta_get(&block_, text_of(key), &out) == 1 ? std::optional(metadata_entry(out)) : std::nullopt;
    }
    bool is_valid() const noexcept {
        std::size_t at = 0;
        mqb_meta entry;
        int more;
        while ((more = mqb_meta_next(&block_, &at, &entry)) == 1) {}
        return more == 0;
    }

private:
    mqb_buffer block_{};
};

}  // namespace mqb::sdk
