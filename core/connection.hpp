// connection: connects one handle, again and again with growing pauses, until it holds.
#pragma once

#include "core/call.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace mqb::core {

// Pauses that double from the first to the longest, each spread by a fifth so that many routes do not come at once.
class backoff {
public:
    backoff(std::uint64_t first_ns, std::uint64_t longest_ns) : first_(first_ns), longest_(longest_ns) {}
    [[nodiscard]] std::uint64_t next();
    void reset() noexcept { last_ = 0; }

private:
    std::uint64_t first_, longest_, last_ = 0;
    std::minstd_rand random_{std::random_device{}()};
};

// Used by one route. The owner starts the connect and hears how it went.
class connection {
public:
    class owner {
    public:
        virtual status start_connect(call& c) = 0;
        virtual void cancel_connect(call& c) = 0;
        // fatal: the configuration can never work; the connection is given up.
        virtual void on_connected() = 0;
        virtual void on_not_connected(bool fatal, std::string_view cause) = 0;

    protected:
        ~owner() = default;
    };

    connection(owner& who, timers& clock, std::uint64_t longest_pause_ns);
    // Connects now; `on_connected` or `on_not_connected` may be called in here.
    void begin();
    // No more tries. What is pending is cancelled and still comes.
    void stop();
    [[nodiscard]] bool is_up() const noexcept { return now_ == state::up; }
    [[nodiscard]] bool is_down() const noexcept { return now_ == state::down; }
    // The owner saw the connection end.
    void lost() noexcept { now_ = state::down; }
    // Connects after a pause, which grows until something has gone through a connection: one that is lost at once is not tried
    // without end, and no answer comes inside the call that saw the old one end.
    void begin_later();
    void has_worked() noexcept { pauses_.reset(); }
    [[nodiscard]] bool is_at_rest() const noexcept { return now_ != state::connecting && !pause_.pending; }
    // When it connects next, by the steady clock; 0: it does not wait for that.
    [[nodiscard]] std::uint64_t next_try_ns() const noexcept { return pause_.pending ? next_try_ns_ : 0; }

private:
    enum class state : std::uint8_t { down, connecting, pausing, up, stopped };
    struct connect_call : call {
        connection* self = nullptr;
    };
    struct pause_timer : timer {
        connection* self = nullptr;
        bool pending = false;
    };
    void ended(status answer);

    owner& owner_;
    timers& clock_;
    backoff pauses_;
    connect_call call_;
    pause_timer pause_;
    std::uint64_t next_try_ns_ = 0;
    state now_ = state::down;
    bool stopping_ = false;
};

}  // namespace mqb::core
