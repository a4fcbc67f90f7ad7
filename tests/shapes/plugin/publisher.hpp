// publisher: the shapes whose client has callbacks: pipelined, ordered, idempotent.
#pragma once

#include "frames.hpp"
#include "link.hpp"

namespace mqb::shapes {

// Threads: as for the consumer.
class publisher final : public sdk::publisher, link::listener {
public:
    publisher(const sdk::context& made, const config& with);
    static sdk::promises promise(const config& with);

    sdk::status connect(sdk::connect_call& call);
    sdk::status send(sdk::send_call& call);
    sdk::status control(sdk::control_call& call);
    void cancel(std::uint64_t operation) { link_.cancel(operation); }

private:
    void noticed(wire::reader&) override {}

    const config config_;
    link link_;
};

}  // namespace mqb::shapes
