// blocking_publisher: the base of a publisher whose client library blocks. One thread for each instance; everything runs on it.
//
// The author's class has, all public, of these what it needs; each may block, throws what it likes, and runs on the thread:
//   void connect()
//   void|status send(send_call &)    one after the other, in order; should_stop() tells of a cancel
//   void idle()                      at the period of set_idle_period()
//   void|status control(control_call &)
//   void disconnect()                the last call on the thread
// and, on any thread,
//   void wake() noexcept             ends what blocks, after a cancel
// A send may also take its end with later() and be completed in a later idle or send: for clients with pipelined confirms.
//
// Who promises ordered_retry() and whose send ends before it returns says keep_order_of_retries() in the constructor: the sends that
// wait behind one that left something undone then come back unsent, with the status retry, and send() sees none of them but the empty one.
#pragma once

#include <mqb/sdk/publisher.hpp>
#include <mqb/sdk/worker.hpp>

namespace mqb::sdk {

// Threads: the host's calls only leave a job for the thread; members of the author's class need no lock.
class blocking_publisher : public publisher {
public:
    using own_edge = void;
    using publisher::publisher;
    void set_idle_period(std::chrono::milliseconds period) noexcept { worker_.set_idle_period(period); }  // in the constructor
    bool should_stop() const noexcept { return worker_.should_stop(); }  // the operation that runs now is cancelled
    void keep_order_of_retries() noexcept { keeps_order_ = true; }       // in the constructor

    // ---- for the edge ----
    detail::worker& thread() noexcept { return worker_; }
    bool keeps_order() const noexcept { return keeps_order_; }

private:
    bool keeps_order_ = false;
    detail::worker worker_;
};

}  // namespace mqb::sdk
