// publisher: the writing end of a channel.
#pragma once

#include "channel.hpp"
#include "config.hpp"

#include <mqb/sdk.hpp>

namespace mqb::memory {

// Threads: the host's calls one at a time; cancel, and a reader who makes room for a waiting send, on any thread.
class publisher : public sdk::publisher {
public:
    publisher(const sdk::context& made, const config& with) : sdk::publisher(made), config_(with) {}
    ~publisher();
    static sdk::promises promise(const config&) { return sdk::promises().ordered().ordered_retry().concurrent(); }

    void connect();
    sdk::status send(sdk::send_call& call);
    void cancel(std::uint64_t operation);

private:
    const config config_;
    std::shared_ptr<channel> channel_;
    std::atomic<channel*> connected_{nullptr};  // channel_, for cancel, which may come before it is there
};

}  // namespace mqb::memory
