// linked_in: the inline endpoint behind core's interfaces, without a plugin interface in between.
#pragma once

#include "core/publisher.hpp"
#include "host/loading/layout.hpp"
#include "inline_endpoint.h"

namespace mqb::bench {

class linked_in_consumer final : public core::consumer {
public:
    linked_in_consumer() : inside_(bench_new_source()) {}
    ~linked_in_consumer() override { std::free(inside_); }
    linked_in_consumer(const linked_in_consumer&) = delete;
    linked_in_consumer& operator=(const linked_in_consumer&) = delete;

    core::status connect(core::call&) override { return core::status::ok; }
    core::status receive(core::receive_call& c) override {
        const std::uint32_t count = c.max_messages < BENCH_LARGEST_BATCH ? c.max_messages : BENCH_LARGEST_BATCH;
        c.messages = {bench_take(inside_, count), count, sizeof(core::message), sizeof(core::message)};
        c.batch = inside_;
        return core::status::ok;
    }
    core::status settle(core::settle_call& c) override {
        const mqb_list entries = loading::to_abi(c.entries), outcomes = loading::to_abi(c.outcomes);
        bench_record(&entries, &outcomes);
        return core::status::ok;
    }
    void free_batch(void*) override {}
    void cancel(core::call&) override {}
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}

private:
    bench_source* inside_;
};

class linked_in_publisher final : public core::publisher {
public:
    core::status connect(core::call&) override { return core::status::ok; }
    core::status send(core::send_call& c) override {
        const mqb_list messages = loading::to_abi(c.messages), outcomes = loading::to_abi(c.outcomes);
        bytes_ += bench_write(&messages, &outcomes);
        return core::status::ok;
    }
    void cancel(core::call&) override {}
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}

private:
    std::uint64_t bytes_ = 0;
};

}  // namespace mqb::bench
