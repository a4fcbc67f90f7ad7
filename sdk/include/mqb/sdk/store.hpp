// store: the base of a store: a map of keys to versioned, expiring values.
//
// The author's class derives from store and has, all public, of these what it needs:
//   void|status apply(apply_call &)         required
//   void connect()  or  status connect(connect_call &)
//   void cancel(std::uint64_t operation)    [any]; required if anything answers pending
#pragma once

#include <mqb/store.h>
#include <mqb/sdk/offer.hpp>

namespace mqb::sdk {

// One entry with its outcome. An entry of which nothing is said was not done.
class store_entry {
public:
    store_entry(mqb_apply& call, std::uint32_t at) noexcept
        : call_(&call), at_(at), raw_(mqb_store_entry_at(&call.entries, at)), outcome_(mqb_outcome_at(&call.outcomes, at)) {}

    std::uint32_t index() const noexcept { return at_; }
    std::int32_t verb() const noexcept { return raw_->verb; }            // MQB_GET …
    std::int32_t condition() const noexcept { return raw_->condition; }  // MQB_ALWAYS …
    std::uint64_t version() const noexcept { return raw_->version; }
    std::uint64_t expiry_ns() const noexcept { return raw_->expiry_ns; }
    std::string_view key() const noexcept { return view(raw_->key); }  // any bytes
    const mqb_buffer& value() const noexcept { return raw_->value; }
    std::uint32_t limit() const noexcept { return raw_->limit; }

    void ok(std::uint64_t version_now = 0) const noexcept { set(MQB_STORE_OK, version_now); }
    void absent() const noexcept { set(MQB_STORE_ABSENT, 0); }
    void conflict(std::uint64_t version_now) const noexcept { set(MQB_STORE_CONFLICT, version_now); }
    // A value that GET or SCAN found.
    void found(std::string_view at_key, const mqb_buffer& value, std::uint64_t version, std::uint64_t expires_in_ns = 0) const {
        call_->found(call_, at_, text_of(at_key), &value, version, expires_in_ns);
    }

private:
    void set(std::int32_t result, std::uint64_t number) const noexcept {
        outcome_->result = result;
        outcome_->number = number;
    }
    mqb_apply* call_;
    std::uint32_t at_;
    const mqb_store_entry* raw_;
    mqb_outcome* outcome_;
};

class apply_call : public any_call<apply_call, mqb_apply> {
public:
    using any_call::any_call;
    std::uint32_t size() const noexcept { return raw().entries.count; }
    store_entry operator[](std::uint32_t at) const noexcept { return {raw(), at}; }
    detail::by_index<apply_call> begin() const noexcept { return {this, 0}; }
    detail::by_index<apply_call> end() const noexcept { return {this, size()}; }
};

// Threads: all [serial] but cancel, which is [any]. Any number of applies may be pending.
class store : public instance, public mqb_store {
public:
    explicit store(const context& made) : instance(made.raw().host) { table = nullptr; }
};

namespace detail {

template <class T>
struct store_edge : common_edge<T, store, mqb_store> {
    using common = common_edge<T, store, mqb_store>;
    using made_type = T;

    static mqb_status apply(mqb_store* handle, mqb_apply* raw) noexcept {
        T& self = common::self_of(handle);
        apply_call call(*raw, self);
        return start(call, MQB_DISCONNECTED, [&] { return self.apply(call); });
    }
    static constexpr mqb_store_table make() {
        mqb_store_table slots{};
        slots.struct_size = sizeof slots;
        if constexpr (connects<T>) slots.connect = common::connect;
        slots.apply = apply;
        slots.cancel = common::cancel;
        slots.free = common::free;
        return slots;
    }
    static constexpr mqb_store_table table = make();
};

template <class T>
requires std::derived_from<T, store>
struct edge_of<T> : store_edge<T> {
};

}  // namespace detail

}  // namespace mqb::sdk
