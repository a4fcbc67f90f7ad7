// consumer: gives the requests of the script one by one and takes replies; END when all of them are settled.
#pragma once

#include "config.hpp"
#include "script.hpp"
#include "timed_log.hpp"

#include <mutex>

namespace mqb::scripted::plugin {

// Threads: the host's calls and the timer one at a time; cancel on any.
class consumer : public sdk::consumer {
public:
    consumer(const sdk::context& made, const config& with) : sdk::consumer(made), config_(with) {}
    static sdk::promises promise(const config& with);

    void connect();
    sdk::status receive(sdk::receive_call& call);
    void settle(sdk::settle_call& call);
    void free_batch(void* batch);
    void cancel(std::uint64_t operation);

private:
    // Of a batch, which is one message.
    struct given {
        request what;
        bool is_settled = false;
    };
    using pool = sdk::batch_pool<given>;
    sdk::status give(const sdk::receive_call& call);
    sdk::operation<sdk::receive_call> take_waiting();
    static void rang(void* self, bool on_time);
    void go_on();

    const config config_;
    bool is_read_ = false;
    std::deque<request> script_;
    std::uint32_t unsettled_ = 0;
    timed_log log_;
    pool batches_;
    std::mutex mutex_;  // of what follows
    sdk::operation<sdk::receive_call> waiting_;
    bool has_timer_ = false;  // else it waits until something is settled or given back
    sdk::timer timer_;
};

}  // namespace mqb::scripted::plugin
