#include "core/middlewares/metadata_edit.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace mqb::core {

namespace {

constexpr std::size_t head_size = 8;
constexpr std::uint8_t text_type = 2;
constexpr std::size_t most_entries = 4096;
constexpr std::size_t largest_block = 16u << 20;

// The bytes of the block follow it.
struct block_owner : buffer_owner {
    explicit block_owner(std::size_t size) : buffer_owner{sizeof(buffer_owner), 0, size, &take, &give} {}
    static void take(buffer_owner* self) { static_cast<block_owner*>(self)->users.fetch_add(1, std::memory_order_relaxed); }
    static void give(buffer_owner* self) {
        auto* mine = static_cast<block_owner*>(self);
        if (mine->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        mine->~block_owner();
        ::operator delete(mine);
    }
    std::atomic<std::uint64_t> users{1};
};

struct entry {
    std::uint8_t type = 0;
    std::string_view key, value;
    std::string_view all;
};

// The entry at the beginning of `rest`, which it takes off. False: the end, or nothing that can be read.
bool next(std::string_view& rest, entry& out) noexcept {
    if (rest.size() < head_size) return false;
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<std::uint8_t>(rest[at])); };
    const std::size_t key = byte(2) | byte(3) << 8;
    const std::size_t value = byte(4) | byte(5) << 8 | byte(6) << 16 | byte(7) << 24;
    const std::size_t left = rest.size() - head_size;
    if (key == 0 || key > left || value > left - key || rest[1] != 0) return false;
    out = {static_cast<std::uint8_t>(rest[0]), rest.substr(head_size, key), rest.substr(head_size + key, value),
           rest.substr(0, head_size + key + value)};
    rest.remove_prefix(out.all.size());
    return true;
}

std::uint8_t* put(std::uint8_t* to, std::string_view bytes) noexcept {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return to + bytes.size();
}

std::uint8_t* put_text(std::uint8_t* to, const text_edit& e) noexcept {
    const std::size_t key = e.key.size(), value = e.value.size();
    const std::uint8_t head[head_size] = {text_type,
                                          0,
                                          static_cast<std::uint8_t>(key),
                                          static_cast<std::uint8_t>(key >> 8),
                                          static_cast<std::uint8_t>(value),
                                          static_cast<std::uint8_t>(value >> 8),
                                          static_cast<std::uint8_t>(value >> 16),
                                          static_cast<std::uint8_t>(value >> 24)};
    std::memcpy(to, head, head_size);
    return put(put(to + head_size, e.key), e.value);
}

}  // namespace

counted_block::counted_block(std::size_t size) {
    void* at = ::operator new(sizeof(block_owner) + size);
    auto* owner = new (at) block_owner{size};
    value_ = {reinterpret_cast<std::uint8_t*>(owner + 1), size, owner};
}

bool has_key(const buffer& block, std::string_view key) noexcept {
    std::string_view rest = block.text();
    entry e;
    while (next(rest, e))
        if (e.key == key) return true;
    return false;
}

metadata_entry last_entry(const buffer& block, std::string_view key) noexcept {
    std::string_view rest = block.text();
    metadata_entry found;
    entry e;
    while (next(rest, e))
        if (e.key == key) found = {e.type, e.value};
    return found;
}

std::string_view text_of(const buffer& block, std::string_view key) noexcept {
    const metadata_entry found = last_entry(block, key);
    return found.type == text_type ? found.value : std::string_view{};
}

counted_block edited(const buffer& block, std::span<const text_edit> edits) {
    const auto is_edited = [&](std::string_view key) { return std::ranges::find(edits, key, &text_edit::key) != edits.end(); };
    std::size_t size = 0, entries = 0;
    std::string_view rest = block.text();
    entry e;
    while (next(rest, e)) {
        if (is_edited(e.key)) continue;
        size += e.all.size();
        ++entries;
    }
    size += rest.size();
    for (const text_edit& t : edits) {
        if (!t.value.data()) continue;
        size += head_size + t.key.size() + t.value.size();
        ++entries;
    }
    if (size > largest_block || entries > most_entries) return {};
    counted_block out{size};
    std::uint8_t* to = out.bytes();
    rest = block.text();
    while (next(rest, e))
        if (!is_edited(e.key)) to = put(to, e.all);
    // Before what cannot be read, where a reader finds them.
    for (const text_edit& t : edits)
        if (t.value.data()) to = put_text(to, t);
    put(to, rest);
    return out;
}

}  // namespace mqb::core
