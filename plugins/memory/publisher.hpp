// publisher: the writing end, whatever its topic names.
#pragma once

#include "config.hpp"
#include "sink.hpp"

namespace mqb::memory {

class publisher : public sdk::publisher {
public:
    publisher(const sdk::context& made, const config& with);
    static sdk::promises promise(const config& with);

    void connect() { sink_->connect(); }
    sdk::status send(sdk::send_call& call) { return sink_->send(call); }
    void cancel(std::uint64_t operation) { sink_->cancel(operation); }

private:
    std::unique_ptr<sink> sink_;
};

}  // namespace mqb::memory
