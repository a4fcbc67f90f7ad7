// ipc_source: a channel that a socket fills.
#pragma once

#include "../channel/channel_source.hpp"
#include "listener.hpp"

namespace mqb::memory {

class ipc_source final : public channel_source {
public:
    ipc_source(const sdk::host_ref& host, const config& with);

    void connect() override;
    sdk::status receive(sdk::receive_call& call) override;
    void settle(sdk::settle_call& call) override;

private:
    void confirm();

    std::unique_ptr<listener> listener_;
    std::atomic<bool> has_alarm_{false};
    sdk::timer alarm_;        // for confirmations that wait
    std::uint64_t last_ = 0;  // reading of the sockets, ns
    bool is_close_ = false;   // it found something soon after the one before
};

}  // namespace mqb::memory
