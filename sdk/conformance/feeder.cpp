#include "feeder.hpp"

#include "library.hpp"

namespace mqb::conformance {

feeder::feeder(publisher& through)
    : through_(through), thread_([this] {
          this_thread_is_the_kits();
          try {
              run();
          } catch (...) {
              const std::lock_guard lock(mutex_);
              failed_ = std::current_exception();
          }
      }) {}

feeder::~feeder() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void feeder::add(const std::vector<letter>& letters) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(letters);
    }
    changed_.notify_all();
}

void feeder::close_when_done() {
    {
        const std::lock_guard lock(mutex_);
        closes_ = true;
    }
    changed_.notify_all();
}

void feeder::check() {
    const std::lock_guard lock(mutex_);
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void feeder::run() {
    for (;;) {
        std::vector<letter> next;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stops_ || closes_ || !waiting_.empty(); });
            if (stops_) return;
            if (waiting_.empty()) break;
            next = std::move(waiting_.front());
            waiting_.pop_front();
        }
        deliver(std::move(next));
    }
    through_.close();
}

// Waits a moment; false: it is to stop.
bool feeder::waits() {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, 2ms, [this] { return stops_; });
}

bool feeder::connects_again() {
    while (through_.start_connect().answer(through_.q().patience) != MQB_OK)
        if (!waits()) return false;
    return true;
}

void feeder::deliver(std::vector<letter> left) {
    while (!left.empty()) {
        sending s = through_.start_send(left);
        bool goes_on = true;
        while (goes_on && !s.op->finished()) goes_on = waits();
        if (!goes_on && !s.op->finished()) through_.cancel(s.op->id());
        const auto out = through_.finish(s, through_.q().patience);
        if (!goes_on) return;
        std::vector<letter> again;
        for (std::size_t i = 0; i < out.size(); ++i) {
            require(out[i].result != MQB_REFUSED, rules::send, "message " + std::to_string(i) + " was REFUSED: " + s.op->why());
            if (out[i].result != MQB_DONE) again.push_back(left[i]);
        }
        left = std::move(again);
        if (s.op->status() == MQB_DISCONNECTED && !connects_again()) return;
        if (!left.empty() && !waits()) return;
    }
}

}  // namespace mqb::conformance
