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
    std::unique_ptr<listener> listener_;
};

}  // namespace mqb::memory
