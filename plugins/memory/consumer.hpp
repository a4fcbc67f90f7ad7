// consumer: the reading end of a channel.
#pragma once

#include "channel.hpp"
#include "config.hpp"

#include <mqb/sdk.hpp>

namespace mqb::memory {

// Threads: the host's calls one at a time; cancel, the timers and a sender who fills the waiting receive on any thread. What they
// share is under the channel's lock.
class consumer : public sdk::consumer {
public:
    consumer(const sdk::context& made, const config& with);
    ~consumer();
    static sdk::promises promise(const config& with);

    void connect();
    sdk::status receive(sdk::receive_call& call);
    void settle(sdk::settle_call& call);
    void free_batch(void* batch);
    void cancel(std::uint64_t operation);

private:
    void nack(delivery& batch, const sdk::settle_entry& entry);
    bool has_waited_for_senders() const;
    void look_again_later();
    void look_again(bool on_time);

    const config config_;
    std::shared_ptr<channel> channel_;
    std::atomic<channel*> connected_{nullptr};  // channel_, for cancel, which may come before it is there
    reader reader_;
    delivery* idle_ = nullptr;
    std::uint64_t drains_since_ = 0;  // ns of host().now(); 0: was never asked to
    std::atomic<bool> looks_again_{false};
    sdk::timer timer_;
};

}  // namespace mqb::memory
