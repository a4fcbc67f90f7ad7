// blocking_publisher_edge: how the host's calls reach the thread of a blocking publisher, and how its answers come back.
#pragma once

#include <mqb/sdk/blocking_consumer_edge.hpp>
#include <mqb/sdk/blocking_publisher.hpp>

namespace mqb::sdk::detail {

// What the worker runs for a publisher. Threads: all on the worker's, but interrupt, which is [any].
template <class T>
class blocking_publisher_body {
public:
    static constexpr bool can_interrupt = has_wake<T>;
    explicit blocking_publisher_body(T* of) noexcept : self(of) {}

    void run(job& one) noexcept {
        if (one.kind == job_kind::connect) {
            answer(connect_call(*static_cast<bare_call*>(one.what), *self), one, MQB_RETRY, [&](connect_call& call) {
                if constexpr (connects_later<T>)
                    return self->connect(call);
                else if constexpr (connects<T>)
                    return self->connect();
                else
                    (void)call;
            });
        } else if (one.kind == job_kind::send) {
            answer(send_call(*static_cast<mqb_send*>(one.what), *self), one, MQB_DISCONNECTED,
                   [&](send_call& call) { return self->send(call); });
        } else if (one.kind == job_kind::control) {
            answer(control_call(*static_cast<mqb_control*>(one.what), *self), one, MQB_RETRY, [&](control_call& call) {
                if constexpr (has_control<T>)
                    return self->control(call);
                else
                    (void)call;
            });
        }
    }
    void idle() noexcept {
        if constexpr (requires { self->idle(); }) at_the_quiet_edge(*self, "idle", [&] { self->idle(); });
    }
    void turn(std::chrono::milliseconds) noexcept {}
    void interrupt() noexcept {
        if constexpr (has_wake<T>) self->wake();
    }
    void end() noexcept {
        if constexpr (requires { self->disconnect(); }) at_the_quiet_edge(*self, "disconnect", [&] { self->disconnect(); });
    }

private:
    template <class Call, class Work>
    void answer(Call call, const job& one, mqb_status if_thrown, Work work) noexcept {
        const mqb_status with = one.is_cancelled ? mqb_status{MQB_CANCELLED} : start(call, if_thrown, [&] { return work(call); });
        if (with != MQB_PENDING) self->finish(&call.raw().call, with, false);
    }
    T* self;
};

template <class T>
struct blocking_publisher_made : T {
    using T::T;
    blocking_publisher_body<T> body{this};
};

template <class T>
struct blocking_publisher_edge {
    using made_type = blocking_publisher_made<T>;
    static mqb_publisher* handle_of(publisher& self) noexcept { return &self; }
    static made_type& self_of(mqb_publisher* handle) noexcept { return static_cast<made_type&>(static_cast<publisher&>(*handle)); }

    static mqb_status post(mqb_publisher* handle, mqb_call& call, job_kind kind) noexcept {
        return at_the_edge(call, MQB_RETRY, [&] {
            made_type& self = self_of(handle);
            self.thread().post(self.body, job{kind, false, &call, call.operation});
            return status::pending;
        });
    }
    static mqb_status connect(mqb_publisher* handle, mqb_call* call) noexcept { return post(handle, *call, job_kind::connect); }
    static mqb_status send(mqb_publisher* handle, mqb_send* call) noexcept { return post(handle, call->call, job_kind::send); }
    static mqb_status control(mqb_publisher* handle, mqb_control* call) noexcept { return post(handle, call->call, job_kind::control); }
    static void cancel(mqb_publisher* handle, std::uint64_t operation) noexcept {
        made_type& self = self_of(handle);
        self.thread().cancel(self.body, operation);
    }
    static void free(mqb_publisher* handle) noexcept {
        made_type& self = self_of(handle);
        self.thread().stop(self.body);
        delete &self;
    }

    static constexpr mqb_publisher_table make() {
        mqb_publisher_table slots{};
        slots.struct_size = sizeof slots;
        slots.connect = connect;  // also without one of the author's: it starts the thread
        slots.send = send;
        if constexpr (has_control<T>) slots.control = control;
        slots.cancel = cancel;
        slots.free = free;
        return slots;
    }
    static constexpr mqb_publisher_table table = make();
};

template <class T>
requires std::derived_from<T, blocking_publisher>
struct edge_of<T> : blocking_publisher_edge<T> {
};

}  // namespace mqb::sdk::detail
