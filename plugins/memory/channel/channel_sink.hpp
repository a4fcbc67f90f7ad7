// channel_sink: the writing end of a channel.
#pragma once

#include "../config.hpp"
#include "../sink.hpp"
#include "broadcast.hpp"
#include "ticket.hpp"

namespace mqb::memory {

// Threads: the host's calls one at a time; cancel, and a reader who makes room for a waiting send or settles one, on any thread.
class channel_sink : public sink {
public:
    channel_sink(const sdk::host_ref& host, const config& with) : host_(host), config_(with) {}
    ~channel_sink() override;

    void connect() override;
    sdk::status send(sdk::send_call& call) override;
    void cancel(std::uint64_t operation) override;

private:
    sdk::status send_and_wait(sdk::send_call& call);
    sdk::status send_to_all(sdk::send_call& call);
    void make_room();
    void remember(const std::shared_ptr<waiting_send>& one);
    void end(waiting_send& one, std::string_view text);
    std::string late() const;

    const sdk::host_ref host_;
    const config config_;
    std::shared_ptr<channel> channel_;
    std::shared_ptr<broadcast> broadcast_;      // instead, with subscribers
    std::atomic<channel*> connected_{nullptr};  // channel_, for cancel, which may come before it is there
    std::mutex mutex_;
    std::vector<std::shared_ptr<waiting_send>> waiting_;  // sends that wait for readers, and some that are over
};

}  // namespace mqb::memory
