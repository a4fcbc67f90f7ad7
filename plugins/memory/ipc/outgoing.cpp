#include "outgoing.hpp"

#include <algorithm>

namespace mqb::memory {

void outgoing::begin(std::uint64_t first_frame, bool confirms) {
    written = 0;
    confirms_ = confirms;
    first_frame_ = first_frame;
    is_confirmed_.assign(confirms ? frames.parts.size() : 0, false);
    confirmed_ = 0;
    parts_confirmed_.clear();
}

void outgoing::confirm(std::uint64_t frame) {
    const auto part = static_cast<std::size_t>(frame - first_frame_);
    if (is_confirmed_[part]) return;
    is_confirmed_[part] = true;
    ++confirmed_;
}

void outgoing::confirm_part(std::uint64_t frame, std::uint64_t first, std::uint64_t count) {
    const auto part = static_cast<std::size_t>(frame - first_frame_);
    const std::size_t messages = frames.parts[part].behind - frames.parts[part].first;
    std::vector<bool>& is_done = parts_confirmed_[part];
    is_done.resize(messages);
    for (std::uint64_t i = first; i < messages && i - first < count; ++i) is_done[static_cast<std::size_t>(i)] = true;
}

// What is confirmed is done, or what is written where nobody confirms; what is written may have arrived; and of a frame that is cut
// nobody can read anything.
void outgoing::tell(const sdk::send_call& to) const {
    if (is_over() && frames.refused.empty()) return to.all_done();
    for (std::size_t p = 0; p < frames.parts.size(); ++p) {
        const frame_part& part = frames.parts[p];
        const bool is_written = written >= part.end;
        const bool is_done = is_written && (!confirms_ || is_confirmed_[p]);
        const auto some = parts_confirmed_.find(p);
        std::size_t k = 0;  // its place in the frame
        for (std::uint32_t i = part.first; i < part.behind; ++i) {
            if (std::binary_search(frames.refused.begin(), frames.refused.end(), i)) continue;
            const bool is_this_done = is_done || (some != parts_confirmed_.end() && some->second[k]);
            to.outcome(i).result = is_this_done ? MQB_DONE : is_written ? MQB_UNCERTAIN : MQB_UNSENT;
            ++k;
        }
    }
    for (const std::uint32_t index : frames.refused) to.outcome(index).result = MQB_REFUSED;
}

}  // namespace mqb::memory
