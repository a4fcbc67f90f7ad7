// publisher: the base of a sink of messages, and of a handler, which is a publisher whose answers are the messages to publish.
//
// The author's class derives from publisher (or handler) and has, all public, of these what it needs:
//   void|status send(send_call &)           required; a call without messages (flushes()) finishes what is held
//   void connect()  or  status connect(connect_call &)
//   void cancel(std::uint64_t operation)    [any]; required if anything answers pending
//   void|status control(control_call &)
#pragma once

#include <mqb/publisher.h>
#include <mqb/sdk/consumer.hpp>
#include <mqb/sdk/send_call.hpp>

namespace mqb::sdk {

// Threads: all [serial] but cancel, which is [any]. What answers at once needs no lock and no thread.
class publisher : public instance, public mqb_publisher {
public:
    explicit publisher(const context& made) : instance(made.raw().host) { table = nullptr; }
};

// Answers messages with messages: call.answer(index, …) any number of times, then done, refused or give_back for each.
class handler : public publisher {
public:
    using publisher::publisher;
};

namespace detail {

template <class T>
struct publisher_edge : common_edge<T, publisher, mqb_publisher> {
    using made_type = T;
    using common = common_edge<T, publisher, mqb_publisher>;

    static mqb_status send(mqb_publisher* handle, mqb_send* raw) noexcept {
        T& self = common::self_of(handle);
        send_call call(*raw, self);
        return start(call, MQB_DISCONNECTED, [&] { return self.send(call); });
    }
    static constexpr mqb_publisher_table make() {
        mqb_publisher_table slots{};
        slots.struct_size = sizeof slots;
        if constexpr (connects<T>) slots.connect = common::connect;
        slots.send = send;
        if constexpr (has_control<T>) slots.control = common::control;
        slots.cancel = common::cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_publisher_table table = make();
};

}  // namespace detail

}  // namespace mqb::sdk
