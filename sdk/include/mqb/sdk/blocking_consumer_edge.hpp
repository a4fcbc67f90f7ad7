// blocking_consumer_edge: how the host's calls reach the thread of a blocking consumer, and how its answers come back.
#pragma once

#include <mqb/sdk/blocking_consumer.hpp>
#include <mqb/sdk/blocking_edge.hpp>

namespace mqb::sdk::detail {

// What the worker runs for a consumer. Threads: all on the worker's, but interrupt, which is [any].
template <class T>
class blocking_consumer_body : public blocking_body<T> {
public:
    using blocking_body<T>::blocking_body;

    void run(job& one) noexcept {
        switch (one.kind) {
            case job_kind::connect: return this->run_connect(one);
            case job_kind::receive: return run_receive(one);
            case job_kind::settle: return run_settle(one);
            case job_kind::control: return this->run_control(one);
            case job_kind::free_batch: return run_free(one.what);
            case job_kind::lanes_done: return run_lanes_done(one.number);
            default: return;
        }
    }
    void idle() noexcept {
        if constexpr (requires { self->idle(self->unsettled()); }) at_the_quiet_edge(*self, "idle", [&] { self->idle(self->unsettled()); });
    }
    void turn(std::chrono::milliseconds slice) noexcept {
        receive_call call(*waiting, *self);
        mqb_status answer = MQB_CANCELLED;
        if (!self->thread().turn_is_cancelled()) {
            answer = at_the_edge(waiting->call, MQB_DISCONNECTED, [&] { return self->receive(call, slice); });
            if (answer == MQB_PENDING || (answer == MQB_OK && waiting->messages.count == 0)) return;
        }
        self->thread().end_turns();
        if (answer == MQB_OK) self->count_given(waiting->batch, waiting->messages.count);
        finish(call, answer);
    }

private:
    using blocking_body<T>::self;
    void finish(const receive_call& call, mqb_status answer) noexcept {
        note_end(call, static_cast<status>(answer));
        self->finish(&call.raw().call, answer, false);
    }
    void run_receive(const job& one) noexcept {
        waiting = static_cast<mqb_receive*>(one.what);
        if (one.is_cancelled) return finish(receive_call(*waiting, *self), MQB_CANCELLED);
        waiting->messages = mqb_list{nullptr, 0, sizeof(mqb_message), sizeof(mqb_message)};
        waiting->batch = nullptr;
        self->thread().begin_turns(one.number);
    }
    void run_settle(const job& one) noexcept {
        if constexpr (has_settle<T>) {
            settle_call call(*static_cast<mqb_settle*>(one.what), *self);
            const mqb_status with = start(call, MQB_DISCONNECTED, [&] { return self->settle(call); });
            if (with == MQB_PENDING) return;
            self->count_settled(call);
            self->finish(&call.raw().call, with, false);
        }
    }
    void run_free(void* batch) noexcept {
        self->count_freed(batch);
        if constexpr (frees_batches<T>)
            at_the_quiet_edge(*self, "free_batch", [&] { self->free_batch(batch); });
        else
            batch_access::free(static_cast<sdk::batch*>(batch));
    }
    void run_lanes_done(std::uint64_t token) noexcept {
        if constexpr (has_lanes_done<T>) at_the_quiet_edge(*self, "lanes_done", [&] { self->lanes_done(token); });
    }

    mqb_receive* waiting = nullptr;  // the receive of these turns
};

// The author's class with its body: what is made for the host.
template <class T>
struct blocking_consumer_made : T {
    using T::T;
    blocking_consumer_body<T> body{this};
};

template <class T>
struct blocking_consumer_edge : blocking_common_edge<blocking_consumer_made<T>, consumer, mqb_consumer> {
    using common = blocking_common_edge<blocking_consumer_made<T>, consumer, mqb_consumer>;
    using typename common::made_type;

    static mqb_status receive(mqb_consumer* handle, mqb_receive* call) noexcept {
        return common::post(handle, call->call, job_kind::receive);
    }
    static mqb_status settle(mqb_consumer* handle, mqb_settle* call) noexcept {
        made_type& self = common::self_of(handle);
        if constexpr (checks_maximal)
            if (self.keeps_book && !self.book().may_settle(self, *call, self.dispositions)) return MQB_OK;
        return common::post(handle, call->call, job_kind::settle);
    }
    static void free_batch(mqb_consumer* handle, void* batch) noexcept {
        made_type& self = common::self_of(handle);
        if constexpr (checks_maximal)
            if (self.keeps_book && !self.book().freed(self, batch)) return;
        at_the_quiet_edge(self, "free_batch", [&] { self.thread().post(self.body, job{job_kind::free_batch, false, batch, 0}); });
    }
    static void lanes_done(mqb_consumer* handle, std::uint64_t token) noexcept {
        made_type& self = common::self_of(handle);
        at_the_quiet_edge(self, "lanes_done", [&] { self.thread().post(self.body, job{job_kind::lanes_done, false, nullptr, token}); });
    }
    static constexpr mqb_consumer_table make() {
        mqb_consumer_table slots{};
        slots.struct_size = sizeof slots;
        slots.connect = common::connect;  // also without one of the author's: it starts the thread
        slots.receive = receive;
        if constexpr (has_settle<T>) slots.settle = settle;
        slots.free_batch = free_batch;
        if constexpr (has_lanes_done<T>) slots.lanes_done = lanes_done;
        if constexpr (has_control<T>) slots.control = common::control;
        slots.cancel = common::cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_consumer_table table = make();
};

template <class T>
requires std::derived_from<T, blocking_consumer>
struct edge_of<T> : blocking_consumer_edge<T> {
};

}  // namespace mqb::sdk::detail
