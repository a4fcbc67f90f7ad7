// scripted: a publisher and a replying consumer whose answers, delays and error classes come from a script, with a timed log.
#pragma once

#include "core/publisher.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mqb::scripted {

// What happened when. Any thread.
class timed_log {
public:
    struct entry {
        std::uint64_t at_ns;  // steady clock
        std::string what;
    };
    void add(std::uint64_t at_ns, std::string what) {
        std::lock_guard lock{mutex_};
        entries_.push_back({at_ns, std::move(what)});
    }
    [[nodiscard]] std::vector<entry> entries() const {
        std::lock_guard lock{mutex_};
        return entries_;
    }
    // The texts alone, one a line.
    [[nodiscard]] std::string text() const;

private:
    mutable std::mutex mutex_;
    std::vector<entry> entries_;
};

// The answer to one message of a send.
struct answer {
    std::uint64_t delay_ns = 0;  // 0: the send answers at once, unless another message of it waits
    core::send_result result = core::send_result::done;
    std::optional<std::string> response{};
    std::uint64_t not_before_ns = 0;         // again, give_back
    core::status status = core::status::ok;  // of the call; the first one that is not ok counts
    std::string text{};
    bool never = false;
};

// Message by message, in the order in which they come; when the script has ended, every message is done at once.
class publisher final : public core::publisher {
public:
    publisher(core::mailbox& box, core::timers& clock, timed_log& log, std::vector<answer> script)
        : box_(box), clock_(clock), log_(log), script_(script.begin(), script.end()) {}

    core::status connect(core::call& c) override;
    core::status send(core::send_call& c) override;
    void cancel(core::call& c) override;
    core::status close(core::call& c) override;
    void listen(core::event_sink*) override {}

private:
    struct operation : core::timer {
        publisher* self = nullptr;
        core::send_call* what = nullptr;
        std::vector<answer> answers;
        bool waits = false;  // for its time
        bool cancelled = false;
    };
    core::status finish(operation& op);
    core::mailbox& box_;
    core::timers& clock_;
    timed_log& log_;
    std::deque<answer> script_;
    std::vector<std::unique_ptr<operation>> pending_;
};

// One message that the consumer gives, so long after the one before it.
struct request {
    std::string payload;
    std::uint64_t delay_ns = 0;
    core::settle_result settled = core::settle_result::ok;  // its first settle; ok from then on
};

// Gives the requests one by one, then END. Takes replies; unit: message.
class consumer final : public core::consumer {
public:
    consumer(core::mailbox& box, core::timers& clock, timed_log& log, std::vector<request> script);

    core::status connect(core::call&) override { return core::status::ok; }
    core::status receive(core::receive_call& c) override;
    core::status settle(core::settle_call& c) override;
    void free_batch(void* batch) override;
    void cancel(core::call& c) override;
    core::status close(core::call&) override { return core::status::ok; }
    void listen(core::event_sink*) override {}

private:
    struct given {
        request what;
        core::message message;
        bool is_settled = false;
    };
    struct wait : core::timer {
        consumer* self = nullptr;
        core::receive_call* what = nullptr;
    };
    core::status give(core::receive_call& c);
    core::mailbox& box_;
    core::timers& clock_;
    timed_log& log_;
    std::deque<request> script_;
    std::vector<std::unique_ptr<given>> given_;
    wait wait_;
    std::uint8_t next_id_ = 0;
};

}  // namespace mqb::scripted
