// publisher: answers message by message, in the order in which they come; when the script has ended, with DONE at once.
#pragma once

#include "config.hpp"
#include "script.hpp"
#include "timed_log.hpp"

#include <list>
#include <mutex>

namespace mqb::scripted::plugin {

// Threads: the host's calls and the timers one at a time; cancel on any.
class publisher : public sdk::publisher {
public:
    publisher(const sdk::context& made, const config& with) : sdk::publisher(made), config_(with) {}
    static sdk::promises promise(const config& with);

    void connect();
    sdk::status send(sdk::send_call& call);
    void cancel(std::uint64_t operation);

private:
    // A send that has not been answered.
    struct waiting {
        publisher* self = nullptr;
        sdk::operation<sdk::send_call> call;
        std::vector<answer> answers;
        bool has_timer = false;  // else it waits for a cancel
        sdk::timer timer;
    };
    sdk::status answer_with(const std::vector<answer>& answers, const sdk::send_call& call, bool is_cancelled);
    static void rang(void* what, bool on_time);
    std::list<waiting> take(const waiting* one);

    const config config_;
    bool is_read_ = false;
    std::deque<answer> script_;
    timed_log log_;
    std::mutex mutex_;  // of what follows
    std::list<waiting> waiting_;
};

}  // namespace mqb::scripted::plugin
