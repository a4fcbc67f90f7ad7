// ticket: a send that ends when the reader has settled its messages, or answered them.
#pragma once

#include "waiting_send.hpp"

#include <mqb/sdk/send_call.hpp>
#include <mqb/sdk/timer.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace mqb::memory {

// States: open -> over. Threads: [any]; whoever makes it over completes the call, with no lock held.
class ticket final : public waiting_send, public std::enable_shared_from_this<ticket> {
public:
    // Takes the end of the call. A message is done when it is settled `copies` times.
    explicit ticket(sdk::send_call& call, std::uint32_t copies = 1);

    std::uint64_t id() const noexcept override { return id_; }
    std::uint32_t size() const noexcept override { return static_cast<std::uint32_t>(left_.size()); }
    bool is_over() const override;
    // Calls `rang(self)` after `ns`, unless it is over by then.
    void end_after(std::uint64_t ns, std::function<void(ticket&)> rang);

    void acknowledged(std::uint32_t index) override { all_acknowledged(index, 1); }
    void all_acknowledged(std::uint32_t first, std::uint32_t count) override;
    void answered(std::uint32_t index, const mqb_message& reply) override;
    void end(const std::vector<bool>& unread, std::string_view text) override;

private:
    static void rang(void* self, bool on_time);
    void finish(sdk::status answer);

    mutable std::mutex mutex_;
    sdk::operation<sdk::send_call> call_;
    const std::uint64_t id_;
    sdk::host_ref host_;
    std::vector<std::uint32_t> left_;  // of each message: settlements to come
    std::vector<bool> is_answered_;
    std::uint32_t open_;
    bool is_over_ = false;
    bool has_timer_ = false;
    sdk::timer timer_;
    std::function<void(ticket&)> rang_;
    std::shared_ptr<ticket> until_rang_;  // itself, while the timer is set
};

}  // namespace mqb::memory
