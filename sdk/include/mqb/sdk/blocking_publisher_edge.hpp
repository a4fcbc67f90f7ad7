// blocking_publisher_edge: how the host's calls reach the thread of a blocking publisher, and how its answers come back.
#pragma once

#include <mqb/sdk/blocking_edge.hpp>
#include <mqb/sdk/blocking_publisher.hpp>

namespace mqb::sdk::detail {

// What the worker runs for a publisher. Threads: all on the worker's, but interrupt, which is [any].
template <class T>
class blocking_publisher_body : public blocking_body<T> {
public:
    using blocking_body<T>::blocking_body;

    void run(job& one) noexcept {
        switch (one.kind) {
            case job_kind::connect: return this->run_connect(one);
            case job_kind::send: return run_send(one);
            case job_kind::control: return this->run_control(one);
            default: return;
        }
    }
    void idle() noexcept {
        if constexpr (requires { self->idle(); }) at_the_quiet_edge(*self, "idle", [&] { self->idle(); });
    }
    void turn(std::chrono::milliseconds) noexcept {}

private:
    using blocking_body<T>::self;
    void run_send(const job& one) noexcept {
        send_call call(*static_cast<mqb_send*>(one.what), *self);
        if (!self->keeps_order()) return this->answer(call, one.is_cancelled, MQB_DISCONNECTED, [&] { return self->send(call); });
        mqb_status with = MQB_CANCELLED;
        if (one.is_put_off && !one.is_cancelled && !call.flushes())
            with = static_cast<mqb_status>(call.fail(status::retry, "behind messages that were not sent"));
        else if (!one.is_cancelled)
            with = start(call, MQB_DISCONNECTED, [&] { return self->send(call); });
        if (with == MQB_PENDING) return;
        const bool is_left = leaves_something(call);
        self->finish(&call.raw().call, with, false);
        // Everything that was started until here has been posted; the host starts nothing more before it has dealt with this end.
        if (is_left) self->thread().put_off(job_kind::send);
    }
    static bool leaves_something(const send_call& call) noexcept {
        for (std::uint32_t i = 0; i < call.size(); ++i)
            if (const auto result = call.outcome(i).result; result != MQB_DONE && result != MQB_REFUSED) return true;
        return false;
    }
};

template <class T>
struct blocking_publisher_made : T {
    using T::T;
    blocking_publisher_body<T> body{this};
};

template <class T>
struct blocking_publisher_edge : blocking_common_edge<blocking_publisher_made<T>, publisher, mqb_publisher> {
    using common = blocking_common_edge<blocking_publisher_made<T>, publisher, mqb_publisher>;

    static mqb_status send(mqb_publisher* handle, mqb_send* call) noexcept { return common::post(handle, call->call, job_kind::send); }

    static constexpr mqb_publisher_table make() {
        mqb_publisher_table slots{};
        slots.struct_size = sizeof slots;
        slots.connect = common::connect;  // also without one of the author's: it starts the thread
        slots.send = send;
        if constexpr (has_control<T>) slots.control = common::control;
        slots.cancel = common::cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_publisher_table table = make();
};

template <class T>
requires std::derived_from<T, blocking_publisher>
struct edge_of<T> : blocking_publisher_edge<T> {
};

}  // namespace mqb::sdk::detail
