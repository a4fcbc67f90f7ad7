// Consumer: decompresses what an input gives.
#pragma once

#include "config.hpp"
#include "part.hpp"
#include "unpacker.hpp"

#include <mqb/sdk/middleware.hpp>
#include <mqb/sdk/timer.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mqb::compressing {

// What cannot be decompressed is settled at once, by itself, which the ledger of a route takes. A batch of which much comes out is given in parts, so that no more than twice the limit
// of one payload is in memory for each.
class consumer final : public sdk::consumer_middleware {
public:
    consumer(const sdk::context& made, const config& with);
    ~consumer();

    sdk::status receive(sdk::receive_call& call);
    sdk::status settle(sdk::settle_call& call);
    void free_batch(void* batch);
    // What was not given yet goes back, of all lanes: a batch is freed as a whole.
    void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns);
    void cancel(std::uint64_t operation);

private:
    sdk::status read(const sdk::receive_call& call);
    static void came(consumer& self, sdk::status answer);
    void go_on(sdk::status answer);
    sdk::status took(const sdk::receive_call& call, sdk::status answer);
    // Whether there was something to give.
    bool give(const sdk::receive_call& call, source_batch& from);
    void settle_wrong(source_batch& from, const std::vector<wrong_message>& wrong);
    void free_if_over(source_batch& of);
    [[nodiscard]] part* known(const void* batch) const noexcept;

    const config config_;
    std::optional<unpacker> unpacker_;  // none: algorithm none
    sdk::outgoing<mqb_receive> below_;
    sdk::operation<sdk::receive_call> above_;
    sdk::timer turn_;          // lets others run between many batches of which nothing is left
    bool is_waiting_ = false;  // for that
    bool is_cancelled_ = false;
    bool has_told_ = false;
    std::vector<std::unique_ptr<source_batch>> sources_;
    std::vector<std::unique_ptr<part>> parts_;
};

}  // namespace mqb::compressing
