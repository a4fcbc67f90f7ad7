// middleware: the bases of what stands between the host and a lent inner side. Whatever the author does not write is passed on.
//
// A class derives from consumer_middleware or publisher_middleware and has of the functions in consumer.hpp and publisher.hpp what it
// needs; of its own:
//   void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns)   consumers: give on or settle what is held
// connect, control and lanes_done are not a middleware's: the host asks the leaf. `static void promise(const config &, promises &)` changes
// what the inner side promises. cancel hears every operation; what is not its own has been passed on too.
#pragma once

#include <mqb/sdk/offer.hpp>
#include <mqb/sdk/outgoing.hpp>

namespace mqb::sdk {

// Threads: none, and no lock: starts, cancels, timers and the ends of inner operations come one at a time.
class consumer_middleware : public consumer {
public:
    using own_edge = void;
    explicit consumer_middleware(const context& made) : consumer(made), inner_(made.consumer_child("")) {
        if (!inner_) throw bad_config("no inner consumer was lent");
        keeps_book = false;  // batches may be the inner side's
    }
    mqb_consumer* inner() const noexcept { return inner_; }

    // Settles below. It is accepted at once: the host's ledger does the rest.
    void settle_inner(void* batch, const mqb_list& entries, const mqb_list& outcomes) {
        if (!inner_->table->settle) return;
        const auto never = [](mqb_call*, mqb_status) {};  // asked for by the table; the answer is no pending
        mqb_settle call{{sizeof(mqb_settle), 0, detail::next_operation(), never, detail::explain_nothing}, batch, entries, outcomes};
        if (inner_->table->settle(inner_, &call) == MQB_PENDING) host_misbehaves("a settle of a lent consumer answered pending");
    }
    void free_inner(void* batch) { inner_->table->free_batch(inner_, batch); }

private:
    mqb_consumer* inner_;
};

class publisher_middleware : public publisher {
public:
    using own_edge = void;
    explicit publisher_middleware(const context& made) : publisher(made), inner_(made.publisher_child("")) {
        if (!inner_) throw bad_config("no inner publisher was lent");
    }
    mqb_publisher* inner() const noexcept { return inner_; }

private:
    mqb_publisher* inner_;
};

// Messages of a list in an array of one's own, so that some of them can be changed. Buffers are still those of the list.
class changed_messages {
public:
    void copy(const mqb_list& from) {
        all_.resize(from.count);
        for (std::uint32_t i = 0; i < from.count; ++i) mqb_message_copy(&from, i, &all_[i]);
    }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(all_.size()); }
    mqb_message& operator[](std::uint32_t i) noexcept { return all_[i]; }
    mqb_list list() noexcept { return mqb_list_of(all_.data(), size(), sizeof(mqb_message)); }

private:
    std::vector<mqb_message> all_;
};

namespace detail {

template <class T>
concept has_receive = requires(T& self, receive_call& call) {
    self.receive(call);
};
template <class T>
concept has_send = requires(T& self, send_call& call) {
    self.send(call);
};

template <class T>
struct consumer_middleware_edge : consumer_edge<T> {
    using common = common_edge<T, consumer, mqb_consumer>;
    static mqb_consumer* inner(mqb_consumer* self) noexcept { return common::self_of(self).inner(); }

    static mqb_status pass_receive(mqb_consumer* self, mqb_receive* raw) noexcept { return inner(self)->table->receive(inner(self), raw); }
    static mqb_status pass_settle(mqb_consumer* self, mqb_settle* raw) noexcept {
        return inner(self)->table->settle ? inner(self)->table->settle(inner(self), raw) : mqb_status{MQB_UNSUPPORTED};
    }
    static mqb_status settle(mqb_consumer* handle, mqb_settle* raw) noexcept {
        T& self = common::self_of(handle);
        settle_call call(*raw, self);
        return start(call, MQB_DISCONNECTED, [&] { return self.settle(call); });
    }
    static void free_batch(mqb_consumer* handle, void* batch) noexcept {
        T& self = common::self_of(handle);
        if constexpr (frees_batches<T>)
            at_the_quiet_edge(self, "free_batch", [&] { self.free_batch(batch); });
        else
            self.free_inner(batch);
    }
    static void cancel(mqb_consumer* self, std::uint64_t operation) noexcept {
        common::cancel(self, operation);
        inside_cancel until_the_end;
        inner(self)->table->cancel(inner(self), operation);
    }
    static constexpr mqb_consumer_table make() {
        mqb_consumer_table slots{};
        slots.struct_size = sizeof slots;
        if constexpr (has_receive<T>)
            slots.receive = consumer_edge<T>::receive;
        else
            slots.receive = pass_receive;
        if constexpr (has_settle<T>)
            slots.settle = settle;
        else
            slots.settle = pass_settle;
        slots.free_batch = free_batch;
        if constexpr (has_lanes_ending<T>) slots.lanes_ending = consumer_edge<T>::lanes_ending;
        slots.cancel = cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_consumer_table table = make();
};

template <class T>
struct publisher_middleware_edge : publisher_edge<T> {
    using common = common_edge<T, publisher, mqb_publisher>;
    static mqb_publisher* inner(mqb_publisher* self) noexcept { return common::self_of(self).inner(); }

    static mqb_status pass_send(mqb_publisher* self, mqb_send* raw) noexcept { return inner(self)->table->send(inner(self), raw); }
    static void cancel(mqb_publisher* self, std::uint64_t operation) noexcept {
        common::cancel(self, operation);
        inside_cancel until_the_end;
        inner(self)->table->cancel(inner(self), operation);
    }
    static constexpr mqb_publisher_table make() {
        mqb_publisher_table slots{};
        slots.struct_size = sizeof slots;
        if constexpr (has_send<T>)
            slots.send = publisher_edge<T>::send;
        else
            slots.send = pass_send;
        slots.cancel = cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_publisher_table table = make();
};

template <class T>
requires std::derived_from<T, consumer_middleware>
struct edge_of<T> : consumer_middleware_edge<T> {
};
template <class T>
requires std::derived_from<T, publisher_middleware>
struct edge_of<T> : publisher_middleware_edge<T> {
};

}  // namespace detail

}  // namespace mqb::sdk
