// sink: what stands behind an output of this plugin: a channel of the process, or a socket.
#pragma once

#include <mqb/sdk.hpp>

namespace mqb::memory {

// Threads: as the functions of the same names of a publisher.
class sink {
public:
    sink() = default;
    sink(const sink&) = delete;
    virtual ~sink() = default;
    virtual void connect() = 0;
    virtual sdk::status send(sdk::send_call& call) = 0;
    virtual void cancel(std::uint64_t operation) = 0;
};

}  // namespace mqb::memory
