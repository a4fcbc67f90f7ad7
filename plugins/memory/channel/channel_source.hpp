// channel_source: the reading end of a channel.
#pragma once

#include "../config.hpp"
#include "../source.hpp"
#include "broadcast.hpp"

namespace mqb::memory {

// Threads: the host's calls one at a time; cancel, the timers and a sender who fills the waiting receive on any thread. What they
// share is under the channel's lock.
class channel_source : public source {
public:
    // A subscriber is one from here on, so that it misses nothing while it connects.
    channel_source(const sdk::host_ref& host, const config& with);
    ~channel_source() override;

    void connect() override;
    sdk::status receive(sdk::receive_call& call) override;
    void settle(sdk::settle_call& call) override;
    void free_batch(void* batch) override;
    void cancel(std::uint64_t operation) override;

protected:
    const sdk::host_ref& host() const noexcept { return host_; }
    const config& with() const noexcept { return config_; }
    // The channel of this name in this process.
    void open(const std::string& name);
    const std::shared_ptr<channel>& from() const noexcept { return channel_; }
    // How long a reader that drains waits for the first sender. Routes of one process start in any order.
    std::uint64_t first_sender_ns = 500'000'000;

private:
    bool settle_all(delivery& batch, sdk::settle_call& call);
    static void tell(delivery& batch, const sdk::settle_entry& entry);
    void nack(delivery& batch, const sdk::settle_entry& entry);
    bool has_waited_for_senders() const;
    void look_again_later();
    void look_again(bool on_time);

    const sdk::host_ref host_;
    const config config_;
    std::shared_ptr<broadcast> broadcast_;  // of a subscriber
    std::shared_ptr<channel> channel_;
    std::atomic<channel*> connected_{nullptr};  // channel_, for cancel, which may come before it is there
    reader reader_;
    delivery* idle_ = nullptr;
    bool is_connected_ = false;
    std::uint64_t drains_since_ = 0;  // ns of host().now(); 0: was never asked to
    std::atomic<bool> looks_again_{false};
    sdk::timer timer_, begins_;
};

}  // namespace mqb::memory
