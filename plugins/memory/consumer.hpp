// consumer: the reading end, whatever its topic names.
#pragma once

#include "config.hpp"
#include "source.hpp"

namespace mqb::memory {

class consumer : public sdk::consumer {
public:
    consumer(const sdk::context& made, const config& with);
    static sdk::promises promise(const config& with);

    void connect() { source_->connect(); }
    sdk::status receive(sdk::receive_call& call) { return source_->receive(call); }
    void settle(sdk::settle_call& call) { source_->settle(call); }
    void free_batch(void* batch) { source_->free_batch(batch); }
    void cancel(std::uint64_t operation) { source_->cancel(operation); }

private:
    std::unique_ptr<source> source_;
};

}  // namespace mqb::memory
