// blocking_edge: what blocking consumers and publishers have in common: how the host's calls reach the instance's thread, and how their
// answers come back.
#pragma once

#include <mqb/sdk/offer.hpp>
#include <mqb/sdk/worker.hpp>

namespace mqb::sdk::detail {

template <class T>
concept has_wake = requires(T& self) {
    self.wake();
};

// What the worker runs for either. Threads: all on the worker's, but interrupt, which is [any].
template <class T>
class blocking_body {
public:
    static constexpr bool can_interrupt = has_wake<T>;
    explicit blocking_body(T* of) noexcept : self(of) {}

    void interrupt() noexcept {
        if constexpr (has_wake<T>) self->wake();
    }
    void end() noexcept {
        if constexpr (requires { self->disconnect(); }) at_the_quiet_edge(*self, "disconnect", [&] { self->disconnect(); });
    }

protected:
    // Runs a start of the author's, unless it is cancelled already; what it answers at once ends the call.
    template <class Call, class Work>
    void answer(Call& call, bool is_cancelled, mqb_status if_thrown, Work&& work) noexcept {
        const mqb_status with = is_cancelled ? mqb_status{MQB_CANCELLED} : start(call, if_thrown, std::forward<Work>(work));
        if (with != MQB_PENDING) self->finish(&call.raw().call, with, false);
    }
    void run_connect(const job& one) noexcept {
        connect_call call(*static_cast<bare_call*>(one.what), *self);
        answer(call, one.is_cancelled, MQB_RETRY, [&] {
            if constexpr (connects_later<T>)
                return self->connect(call);
            else if constexpr (connects<T>)
                return self->connect();
        });
    }
    void run_control(const job& one) noexcept {
        control_call call(*static_cast<mqb_control*>(one.what), *self);
        answer(call, one.is_cancelled, MQB_RETRY, [&] {
            if constexpr (has_control<T>) return self->control(call);
        });
    }

    T* self;
};

// The slots that only leave a job for the thread. Made is the author's class with its body; Base is consumer or publisher.
template <class Made, class Base, class Handle>
struct blocking_common_edge {
    using made_type = Made;
    static Handle* handle_of(Base& self) noexcept { return &self; }
    static made_type& self_of(Handle* handle) noexcept { return static_cast<made_type&>(static_cast<Base&>(*handle)); }

    static mqb_status post(Handle* handle, mqb_call& call, job_kind kind) noexcept {
        return at_the_edge(call, MQB_RETRY, [&] {
            made_type& self = self_of(handle);
            self.thread().post(self.body, job{kind, false, &call, call.operation});
            return status::pending;
        });
    }
    static mqb_status connect(Handle* handle, mqb_call* call) noexcept { return post(handle, *call, job_kind::connect); }
    static mqb_status control(Handle* handle, mqb_control* call) noexcept { return post(handle, call->call, job_kind::control); }
    static void cancel(Handle* handle, std::uint64_t operation) noexcept {
        made_type& self = self_of(handle);
        self.thread().cancel(self.body, operation);
    }
    static void free(Handle* handle) noexcept {
        made_type& self = self_of(handle);
        self.thread().stop(self.body);
        delete &self;
    }
};

}  // namespace mqb::sdk::detail
