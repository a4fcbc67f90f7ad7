// session: one connection to the broker: what came, what is still to be written, and which of its calls wait.
#pragma once

#include "queue.hpp"

#include <unistd.h>
#include <set>

namespace mqb::shapes::broker {

// Threads: one. States: connected -> (hello) bound to a queue -> leaving -> gone.
struct session {
    session(int connected, std::uint32_t number) : fd(connected) { as_holder.number = number; }
    session(const session&) = delete;
    ~session() {
        if (from) from->leave(as_holder);
        close(fd);
    }
    void answer(wire::writer& frame) { to_write += frame.frame(); }
    bool has(wire::flag what) const { return (flags & what) != 0; }

    const int fd;
    wire::splitter incoming;
    std::string to_write;
    bool leaves = false;  // as soon as everything is written; what comes from now on is not read
    bool breaks = false;  // at once

    queue* from = nullptr;  // or to
    holder as_holder;
    std::uint8_t flags = 0;

    struct receive {
        std::uint64_t tag = 0;
        std::uint32_t max = 0;
        std::uint64_t max_bytes = 0;
        bool drains = false, is_mute = false;
    };
    std::optional<receive> parked;  // waits for a message
    bool is_hungry = false;         // was told that there is nothing, and wants to hear when there is

    // Sends and settles that are carried out later, or never.
    struct waiting {
        std::string frame;
        fault broken = fault::none;
        bool is_mute = false;
    };
    std::map<std::uint64_t, waiting> waiting_calls;
    std::vector<std::string> confirms;  // pipelined: held back, and given in another order

    // ordered_retry: a lane is closed from a failure on, until something comes again that came back since: only who knows of the
    // failure sends that.
    std::map<std::uint64_t, std::set<std::string>> closed_lanes;
};

}  // namespace mqb::shapes::broker
