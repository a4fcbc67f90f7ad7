// source: what stands behind an input of this plugin: a channel of the process, or one that a socket fills.
#pragma once

#include <mqb/sdk.hpp>

namespace mqb::memory {

// Threads: as the functions of the same names of a consumer.
class source {
public:
    source() = default;
    source(const source&) = delete;
    virtual ~source() = default;
    virtual void connect() = 0;
    virtual sdk::status receive(sdk::receive_call& call) = 0;
    virtual void settle(sdk::settle_call& call) = 0;
    virtual void free_batch(void* batch) = 0;
    virtual void cancel(std::uint64_t operation) = 0;
};

}  // namespace mqb::memory
