// consumer: the base of a source of messages, and the table through which the host sees it.
//
// The author's class derives from consumer and has, all public, of these what it needs:
//   status receive(receive_call &)          required; done through a batch's give, end, or pending after later()
//   void|status settle(settle_call &)       without it the consumer acknowledges nothing
//   void connect()  or  status connect(connect_call &)
//   void cancel(std::uint64_t operation)    [any]; required if anything answers pending
//   void free_batch(void *batch)            only for batches that are not of a batch_pool, or to hear of what is unsettled
//   void lanes_done(std::uint64_t token)
//   void|status control(control_call &)
// Whatever it throws becomes the failing status with the text. Its destructor is the ABI's free.
#pragma once

#include <mqb/consumer.h>
#include <mqb/sdk/batch.hpp>
#include <mqb/sdk/context.hpp>

namespace mqb::sdk {

// Threads: all [serial] but cancel, which is [any]. What answers at once needs no lock and no thread.
class consumer : public detail::batch_giver, public mqb_consumer {
public:
    explicit consumer(const context& made) : batch_giver(made.raw().host) { table = nullptr; }
};

namespace detail {

template <class T>
concept connects_later = requires(T& self, connect_call& call) {
    self.connect(call);
};
template <class T>
concept connects = connects_later<T> || requires(T& self) {
    self.connect();
};
template <class T>
concept has_settle = requires(T& self, settle_call& call) {
    self.settle(call);
};
template <class T>
concept has_control = requires(T& self, control_call& call) {
    self.control(call);
};
template <class T>
concept has_cancel = requires(T& self) {
    self.cancel(std::uint64_t{});
};
template <class T>
concept frees_batches = requires(T& self, void* batch) {
    self.free_batch(batch);
};
template <class T>
concept has_lanes_done = requires(T& self) {
    self.lanes_done(std::uint64_t{});
};
template <class T>
concept has_lanes_ending = requires(T& self, std::span<const std::uint64_t> lanes) {
    self.lanes_ending(lanes, std::uint64_t{});
};

// connect, control, cancel and free are the same for every handle. Base is consumer, publisher or store.
template <class T, class Base, class Handle>
struct common_edge {
    static Handle* handle_of(Base& self) noexcept { return &self; }
    static T& self_of(Handle* self) noexcept { return static_cast<T&>(static_cast<Base&>(*self)); }

    static mqb_status connect(Handle* handle, mqb_call* raw) noexcept {
        T& self = self_of(handle);
        connect_call call(*reinterpret_cast<bare_call*>(raw), self);
        return start(call, MQB_RETRY, [&] {
            if constexpr (connects_later<T>)
                return self.connect(call);
            else if constexpr (connects<T>)
                return self.connect();
        });
    }
    static mqb_status control(Handle* handle, mqb_control* raw) noexcept {
        T& self = self_of(handle);
        control_call call(*raw, self);
        return start(call, MQB_RETRY, [&] {
            if constexpr (has_control<T>) return self.control(call);
        });
    }
    static void cancel(Handle* handle, std::uint64_t operation) noexcept {
        inside_cancel until_the_end;
        T& self = self_of(handle);
        if constexpr (has_cancel<T>)
            at_the_quiet_edge(self, "cancel", [&] { self.cancel(operation); });
        else
            (void)self, (void)operation;
    }
    static void free(Handle* handle) noexcept { delete &self_of(handle); }
};

template <class T>
struct consumer_edge : common_edge<T, consumer, mqb_consumer> {
    using made_type = T;
    using common = common_edge<T, consumer, mqb_consumer>;

    static mqb_status receive(mqb_consumer* handle, mqb_receive* raw) noexcept {
        T& self = common::self_of(handle);
        receive_call call(*raw, self);
        return start(call, MQB_DISCONNECTED, [&] { return self.receive(call); });
    }
    static mqb_status settle(mqb_consumer* handle, mqb_settle* raw) noexcept {
        T& self = common::self_of(handle);
        settle_call call(*raw, self);
        if constexpr (checks_maximal)
            if (self.keeps_book && !self.book().may_settle(self, *raw, self.dispositions)) return MQB_OK;
        return start(call, MQB_DISCONNECTED, [&] { return self.settle(call); });
    }
    static void free_batch(mqb_consumer* handle, void* raw) noexcept {
        T& self = common::self_of(handle);
        if constexpr (checks_maximal)
            if (self.keeps_book && !self.book().freed(self, raw)) return;
        if constexpr (frees_batches<T>) {
            at_the_quiet_edge(self, "free_batch", [&] { self.free_batch(raw); });
        } else {
            batch* one = static_cast<batch*>(raw);
            if (checks_minimal && !batch_access::is_living(one))
                return self.host_misbehaves("free_batch of a batch that is not alive; ignored");
            batch_access::free(one);
        }
    }
    static void lanes_done(mqb_consumer* handle, std::uint64_t token) noexcept {
        T& self = common::self_of(handle);
        at_the_quiet_edge(self, "lanes_done", [&] { self.lanes_done(token); });
    }
    static void lanes_ending(mqb_consumer* handle, const std::uint64_t* lanes, std::uint32_t count, std::uint64_t deadline) noexcept {
        T& self = common::self_of(handle);
        at_the_quiet_edge(self, "lanes_ending", [&] { self.lanes_ending(std::span(lanes, count), deadline); });
    }

    static constexpr mqb_consumer_table make() {
        mqb_consumer_table slots{};
        slots.struct_size = sizeof slots;
        if constexpr (connects<T>) slots.connect = common::connect;
        slots.receive = receive;
        if constexpr (has_settle<T>) slots.settle = settle;
        slots.free_batch = free_batch;
        if constexpr (has_lanes_done<T>) slots.lanes_done = lanes_done;
        if constexpr (has_lanes_ending<T>) slots.lanes_ending = lanes_ending;
        if constexpr (has_control<T>) slots.control = common::control;
        slots.cancel = common::cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_consumer_table table = make();
};

}  // namespace detail

}  // namespace mqb::sdk
