// Feeder: puts messages to a source whose senders wait until a consumer has settled them, beside the case that is that consumer.
#pragma once
#include "publisher.hpp"

#include <deque>
#include <exception>
#include <thread>

namespace mqb::conformance {

// Has the publisher to itself until it is destroyed: then what is still pending is cancelled. Threads: the case's.
class feeder {
public:
    explicit feeder(publisher& through);
    feeder(const feeder&) = delete;
    ~feeder();

    // One send of all of them. What comes back undone is sent again, and a lost connection made again, as a host does.
    void add(const std::vector<letter>&);
    // Frees the publisher once everything is done.
    void close_when_done();
    // Fails the case where a send has failed.
    void check();

private:
    void run();
    void deliver(std::vector<letter> left);
    bool waits();
    bool connects_again();

    publisher& through_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::vector<letter>> waiting_;
    std::exception_ptr failed_;
    bool closes_ = false, stops_ = false;
    std::thread thread_;
};

}  // namespace mqb::conformance
