// settlement: who is told what becomes of the messages of a parcel.
#pragma once

#include <mqb/call.h>

#include <cstdint>

namespace mqb::memory {

// Threads: the calls of the consumer that settles, one at a time for each message. Counted by the parcels that name it.
class settlement {
public:
    settlement() = default;
    settlement(const settlement&) = delete;
    virtual ~settlement() = default;
    // Once for a parcel that was sent, when the channel has room for it. With no lock held, as the others.
    virtual void entered() {}
    // Once for each message, by its place in the send that brought it.
    virtual void acknowledged(std::uint32_t index) = 0;
    // The same for some in a row.
    virtual void all_acknowledged(std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) acknowledged(first + i);
    }
    // The answer to a message, before acknowledged. Borrowed.
    virtual void answered(std::uint32_t, const mqb_message&) {}
};

}  // namespace mqb::memory
