// wire: the frames between the shape broker and the plugins whose queues it holds.
//
// frame  := size:u32 verb:u8 tag:u64 body        size counts what follows it; numbers in the byte order of the machine
// text   := size:u32 bytes                       blob := present:u8 [text]
// An answer has the verb and the tag of its request. What the broker says of itself (notices) has the tag 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mqb::shapes::wire {

enum class verb : std::uint8_t {
    hello = 1,       // queue:text mode:u8 lanes:u32 lease_ms:u32 flags:u8        answer: class:u8 why:text
    receive,         // max:u32 max_bytes:u64 drains:u8 waits:u8                  answer: class:u8 count:u32 message*
    settle,          // count:u32 (delivery:u64 disposition:u8 delay_ns:u64 reply:blob)*   answer: class:u8 (outcome:u8)*
    give_back,       // count:u32 (delivery:u64)*                                 no answer
    extend,          // count:u32 (delivery:u64)*                                 no answer
    send,            // count:u32 (id:16 lane:u64 payload:blob metadata:text)*    answer: class:u8 (outcome:u8 responses:u32 text*)*
    cancel,          // the tag of what is to end                                 no answer of its own
    lanes_given_up,  // token:u64                                                 no answer of its own
    admin,           // command:text                                              answer: class:u8 text
    // notices
    lanes_ending,  // token:u64 deadline_ms:u32 count:u32 lane:u64*
    lanes_ended,   // token:u64
    something_new  // a receive that did not wait found nothing; now there is something
};

// How a session takes messages from its queue, and how it puts them there.
enum class mode : std::uint8_t { message, prefix, gated, batch, lease, publish };
// Of a session that publishes, and `finite` of one that consumes.
enum flag : std::uint8_t { pipelined = 1, ordered_retry = 2, idempotent = 4, responds = 8, finite = 16 };

// The classes of an answer and the outcomes of its entries: the numbers of the ABI's status.h and call.h.
enum class answer : std::uint8_t { ok = 0, retry = 2, rejected = 3, disconnected = 5, end = 6, cancelled = 7 };
enum class sent : std::uint8_t { unsent, done, again, refused, uncertain };
enum class settled : std::uint8_t { retry, ok, gone };
enum class disposition : std::uint8_t { ack, nack, reject, reply, reply_more, released };

constexpr std::size_t largest_frame = 64u << 20;
constexpr std::size_t head_size = 4 + 1 + 8;

// A message that is delivered := delivery:u64 lane:u64 count:u32 id:16 payload:blob metadata:text

class writer {
public:
    writer(verb what, std::uint64_t tag) : bytes_(4, '\0') { u8(static_cast<std::uint8_t>(what)).u64(tag); }
    writer& u8(std::uint8_t value) { return bytes_ += static_cast<char>(value), *this; }
    template <class Enum>
    requires std::is_enum_v<Enum> writer& word(Enum value) { return u8(static_cast<std::uint8_t>(value)); }
    writer& u32(std::uint32_t value) { return raw(&value, sizeof value); }
    writer& u64(std::uint64_t value) { return raw(&value, sizeof value); }
    writer& text(std::string_view value) { return u32(static_cast<std::uint32_t>(value.size())).raw(value.data(), value.size()); }
    writer& blob(const std::optional<std::string_view>& value) { return value ? u8(1).text(*value) : u8(0); }
    writer& raw(const void* from, std::size_t size) {
        if (size) bytes_.append(static_cast<const char*>(from), size);
        return *this;
    }
    // A number that is known only later.
    std::size_t later32() { return u32(0), bytes_.size() - 4; }
    void set32(std::size_t at, std::uint32_t value) { std::memcpy(bytes_.data() + at, &value, sizeof value); }
    // The whole frame; the writer is used up.
    std::string frame() {
        const auto size = static_cast<std::uint32_t>(bytes_.size() - 4);
        std::memcpy(bytes_.data(), &size, sizeof size);
        return std::move(bytes_);
    }

private:
    std::string bytes_;
};

// Reads a frame; throws on one that is too short. The texts borrow from it.
class reader {
public:
    explicit reader(std::string_view frame) : left_(frame) { what_ = static_cast<verb>(u8()), tag_ = u64(); }
    verb what() const noexcept { return what_; }
    std::uint64_t tag() const noexcept { return tag_; }

    std::uint8_t u8() { return number<std::uint8_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }
    template <class Enum>
    Enum word() {
        return static_cast<Enum>(u8());
    }
    std::string_view text() { return raw(u32()); }
    std::optional<std::string_view> blob() { return u8() ? std::optional(text()) : std::nullopt; }
    std::string_view raw(std::size_t size) {
        if (size > left_.size()) throw std::runtime_error("a frame is too short");
        const std::string_view out = left_.substr(0, size);
        left_.remove_prefix(size);
        return out;
    }

private:
    template <class Number>
    Number number() {
        Number out;
        std::memcpy(&out, raw(sizeof out).data(), sizeof out);
        return out;
    }
    std::string_view left_;
    verb what_{};
    std::uint64_t tag_ = 0;
};

// Bytes of a stream become frames.
class splitter {
public:
    void add(const char* data, std::size_t size) { bytes_.append(data, size); }
    // The next whole frame, without its size; valid until the next call. None: more bytes are needed.
    std::optional<std::string_view> next() {
        if (bytes_.size() - at_ < 4) return forget();
        std::uint32_t size;
        std::memcpy(&size, bytes_.data() + at_, sizeof size);
        if (size < head_size - 4 || size > largest_frame) throw std::runtime_error("a frame has a size that it cannot have");
        if (bytes_.size() - at_ - 4 < size) return forget();
        const std::string_view out = std::string_view(bytes_).substr(at_ + 4, size);
        at_ += 4 + size;
        return out;
    }
    void clear() { bytes_.clear(), at_ = 0; }

private:
    std::optional<std::string_view> forget() {
        bytes_.erase(0, at_);
        at_ = 0;
        return {};
    }
    std::string bytes_;
    std::size_t at_ = 0;
};

}  // namespace mqb::shapes::wire
