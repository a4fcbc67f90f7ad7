// pack_reader: the values of MessagePack that frames have, one after the other, never past the end.
// Our own: a frame has five kinds of values, and reading them in place without copies or allocation is what the socket's speed hangs on.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace mqb::memory {

// Every function answers false, and has moved nothing that counts, when the next value is of another kind or does not end in time.
class pack_reader {
public:
    pack_reader(const std::uint8_t* from, std::size_t size) noexcept : at_(from), end_(from + size) {}

    bool is_at_end() const noexcept { return at_ == end_; }
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    const std::uint8_t* at() const noexcept { return at_; }
    void skip(std::size_t size) noexcept { at_ += size; }

    bool array(std::uint32_t& count) noexcept { return head(0x90, 0xdc, count); }
    bool map(std::uint32_t& count) noexcept { return head(0x80, 0xde, count); }
    bool text(std::string_view& out) noexcept {
        if (at_ == end_) return false;
        if ((*at_ & 0xe0) == 0xa0) return take(1, *at_ & 0x1fu, out);
        if (*at_ == 0xd9) return sized(1, out);
        if (*at_ == 0xda) return sized(2, out);
        return *at_ == 0xdb && sized(4, out);
    }
    // bin, or a text.
    bool bytes(std::string_view& out) noexcept {
        if (at_ == end_) return false;
        if (*at_ == 0xc4) return sized(1, out);
        if (*at_ == 0xc5) return sized(2, out);
        if (*at_ == 0xc6) return sized(4, out);
        return text(out);
    }
    bool number(std::uint64_t& out) noexcept {
        if (at_ == end_) return false;
        if (*at_ < 0x80) return out = *at_++, true;
        if (*at_ < 0xcc || *at_ > 0xcf) return false;
        const std::size_t size = std::size_t{1} << (*at_ - 0xcc);
        if (left() < 1 + size) return false;
        out = big_endian(at_ + 1, size);
        at_ += 1 + size;
        return true;
    }

private:
    static std::uint64_t big_endian(const std::uint8_t* from, std::size_t size) noexcept {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) value = value << 8 | from[i];
        return value;
    }
    bool head(std::uint8_t fix, std::uint8_t wide, std::uint32_t& count) noexcept {
        if (at_ == end_) return false;
        if ((*at_ & 0xf0) == fix) return count = *at_++ & 0x0fu, true;
        const std::size_t size = *at_ == wide ? 2 : 4;
        if ((*at_ != wide && *at_ != wide + 1) || left() < 1 + size) return false;
        count = static_cast<std::uint32_t>(big_endian(at_ + 1, size));
        at_ += 1 + size;
        return true;
    }
    bool sized(std::size_t digits, std::string_view& out) noexcept {
        return left() >= 1 + digits && take(1 + digits, big_endian(at_ + 1, digits), out);
    }
    bool take(std::size_t before, std::uint64_t size, std::string_view& out) noexcept {
        if (left() - before < size) return false;
        out = {reinterpret_cast<const char*>(at_ + before), static_cast<std::size_t>(size)};
        at_ += before + size;
        return true;
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

}  // namespace mqb::memory
