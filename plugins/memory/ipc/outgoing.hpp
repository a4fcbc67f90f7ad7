// outgoing: a send on its way through a socket: its frames, how far they are written, and what of them is confirmed.
#pragma once

#include "frame_writer.hpp"

#include <map>

namespace mqb::memory {

// Threads: one at a time.
class outgoing {
public:
    framed_send frames;
    sdk::operation<sdk::send_call> call;  // its end, when it ends later
    std::size_t written = 0;              // bytes

    // For the frames that are there now, the first of which has this number on its connection.
    void begin(std::uint64_t first_frame, bool confirms);

    std::size_t unwritten() const noexcept { return frames.bytes.size() - written; }
    bool is_whole() const noexcept { return unwritten() == 0; }
    bool is_over() const noexcept { return is_whole() && (!confirms_ || confirmed_ == frames.parts.size()); }
    std::uint64_t first_frame() const noexcept { return first_frame_; }
    std::uint64_t behind_frames() const noexcept { return first_frame_ + frames.parts.size(); }

    // By the number of the frame, which is one of these.
    void confirm(std::uint64_t frame);
    void confirm_part(std::uint64_t frame, std::uint64_t first, std::uint64_t count);
    // The outcomes as far as it has come.
    void tell(const sdk::send_call& to) const;

private:
    bool confirms_ = false;
    std::uint64_t first_frame_ = 0;
    std::vector<bool> is_confirmed_;  // for each frame
    std::size_t confirmed_ = 0;
    std::map<std::size_t, std::vector<bool>> parts_confirmed_;  // of frames of which only some messages are
};

}  // namespace mqb::memory
