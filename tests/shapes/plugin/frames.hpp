// frames: what consumers and publishers of both bases write into frames and read from them.
#pragma once

#include "config.hpp"

namespace mqb::shapes {

// What a consumer remembers of a batch.
struct note {
    std::vector<std::uint64_t> deliveries;  // by index
    std::vector<bool> is_final;
    void clear() { deliveries.clear(), is_final.clear(); }
};
using note_pool = sdk::batch_pool<note>;

std::string receive_frame(const sdk::receive_call& call, std::uint64_t tag, bool waits);
// What a receive answers; its messages go into a batch of the pool.
sdk::status read_receive(wire::reader& in, const sdk::receive_call& call, note_pool& batches);

std::string settle_frame(const sdk::settle_call& call, std::uint64_t tag);
sdk::status read_settle(wire::reader& in, const sdk::settle_call& call);
// What is not final of a batch that is freed; none: everything is.
std::string give_back_frame(const note& of);

// `count` messages from `first` on.
std::string send_frame(const sdk::send_call& call, std::uint64_t tag, std::uint32_t first, std::uint32_t count);
sdk::status read_send(wire::reader& in, const sdk::send_call& call, std::uint32_t first, std::uint32_t count, bool responds);

// The broker's command for a control; none: there is no such control.
std::optional<std::string> admin_command(const sdk::control_call& call, const config& with);
sdk::status read_admin(wire::reader& in, const sdk::control_call& call);

}  // namespace mqb::shapes
