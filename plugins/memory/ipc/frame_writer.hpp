// frame_writer: messages as frames, ready for the socket.
#pragma once

#include <mqb/sdk/send_call.hpp>

#include <memory>
#include <vector>

namespace mqb::memory {

// Bytes without a beginning value, that are used again.
class byte_store {
public:
    std::uint8_t* data() noexcept { return bytes_.get(); }
    const std::uint8_t* data() const noexcept { return bytes_.get(); }
    std::size_t size() const noexcept { return size_; }
    void clear() noexcept {
        size_ = 0;
        if (capacity_ > most_kept) bytes_.reset(), capacity_ = 0;
    }
    // Room for `more` bytes behind those that are there.
    std::uint8_t* prepare(std::size_t more) {
        if (more > capacity_ - size_) grow(more);
        return bytes_.get() + size_;
    }
    void keep(std::size_t more) noexcept { size_ += more; }

private:
    static constexpr std::size_t most_kept = 4 << 20;
    void grow(std::size_t more);

    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_ = 0, capacity_ = 0;
};

// Where a frame ends among the bytes, and which messages it has.
struct frame_part {
    std::size_t end;
    std::uint32_t first, behind;  // of the send; those refused in between are in no frame
};

// One send as bytes: as one frame, or more where one would be too long.
struct framed_send {
    byte_store bytes;
    std::vector<frame_part> parts;
    std::vector<std::uint32_t> refused;  // messages that no frame can have; the call has their outcome already
    void clear() noexcept { bytes.clear(), parts.clear(), refused.clear(); }
};

// Fills `to`; what cannot be sent is refused at the call. Throws bad_alloc. Threads: one at a time for each `to`.
void write_frames(const sdk::send_call& call, framed_send& to);

}  // namespace mqb::memory
