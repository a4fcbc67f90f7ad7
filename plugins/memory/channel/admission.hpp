// admission: a send that ends when every channel that it goes to has taken it.
#pragma once

#include "waiting_send.hpp"

#include <mqb/sdk/send_call.hpp>

#include <mutex>

namespace mqb::memory {

// States: open -> ending -> over, or open -> over. Threads: [any], but start once, by the call itself.
class admission final : public waiting_send {
public:
    admission(const sdk::send_call& call, std::uint32_t channels) : id_(call.id()), size_(call.size()), open_(channels) {}

    // When all channels have been given it. Done: they have taken it. Pending: this has the end of the call. Cancelled: it was meanwhile,
    // and the call ends with what `tell` says.
    sdk::status start(sdk::send_call& call);

    std::uint64_t id() const noexcept override { return id_; }
    std::uint32_t size() const noexcept override { return size_; }
    bool is_over() const override;
    bool claim_end() override;
    void entered() override;
    void acknowledged(std::uint32_t) override {}
    void end(const std::vector<bool>& unread, std::string_view text) override;
    static void tell(const sdk::send_call& call, const std::vector<bool>& unread, std::string_view text);

private:
    mutable std::mutex mutex_;
    const std::uint64_t id_;
    const std::uint32_t size_;
    std::uint32_t open_;
    bool is_over_ = false, is_cancelled_ = false, is_ending_ = false;
    sdk::operation<sdk::send_call> call_;
};

}  // namespace mqb::memory
