// layout: core's message model and the plugin ABI have one layout, asserted here, so that arrays cross without touching an element.
#pragma once

#include "core/broken_record.hpp"
#include "core/call.hpp"
#include "core/promises.hpp"
#include "host/loading/store.hpp"

#include <mqb/plugin.h>

#include <cstddef>
#include <type_traits>

namespace mqb::loading {

#define MQB_SAME_PLACE(ours, our_field, theirs, their_field)                    \
    static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                  sizeof(std::declval<ours>().our_field) == sizeof(std::declval<theirs>().their_field))

static_assert(sizeof(core::buffer_owner) == sizeof(mqb_owner));
MQB_SAME_PLACE(core::buffer_owner, struct_size, mqb_owner, struct_size);
MQB_SAME_PLACE(core::buffer_owner, total_size, mqb_owner, total_size);
MQB_SAME_PLACE(core::buffer_owner, retain, mqb_owner, retain);
MQB_SAME_PLACE(core::buffer_owner, release, mqb_owner, release);

static_assert(sizeof(core::buffer) == sizeof(mqb_buffer));
MQB_SAME_PLACE(core::buffer, data, mqb_buffer, data);
MQB_SAME_PLACE(core::buffer, size, mqb_buffer, size);
MQB_SAME_PLACE(core::buffer, owner, mqb_buffer, owner);

static_assert(sizeof(core::message) == sizeof(mqb_message));
MQB_SAME_PLACE(core::message, id, mqb_message, id);
MQB_SAME_PLACE(core::message, lane, mqb_message, lane);
MQB_SAME_PLACE(core::message, delivery_count, mqb_message, delivery_count);
MQB_SAME_PLACE(core::message, payload, mqb_message, payload);
MQB_SAME_PLACE(core::message, metadata, mqb_message, metadata);

static_assert(sizeof(core::message_list) == sizeof(mqb_list) && std::is_trivially_copyable_v<core::message_list>);
static_assert(sizeof(core::text_view) == sizeof(mqb_text));

static_assert(sizeof(core::settle_entry) == sizeof(mqb_entry));
MQB_SAME_PLACE(core::settle_entry, index, mqb_entry, index);
MQB_SAME_PLACE(core::settle_entry, what, mqb_entry, disposition);
MQB_SAME_PLACE(core::settle_entry, delay_ns, mqb_entry, delay_ns);
MQB_SAME_PLACE(core::settle_entry, reply, mqb_entry, reply);
MQB_SAME_PLACE(core::settle_entry, reason, mqb_entry, reason);

static_assert(sizeof(core::outcome) == sizeof(mqb_outcome));
MQB_SAME_PLACE(core::outcome, result, mqb_outcome, result);
MQB_SAME_PLACE(core::outcome, flags, mqb_outcome, flags);
MQB_SAME_PLACE(core::outcome, number, mqb_outcome, number);

static_assert(sizeof(core::promises) == sizeof(mqb_promises));
MQB_SAME_PLACE(core::promises, struct_size, mqb_promises, struct_size);
MQB_SAME_PLACE(core::promises, flags, mqb_promises, flags);
MQB_SAME_PLACE(core::promises, unit, mqb_promises, settle_unit);
MQB_SAME_PLACE(core::promises, dispositions, mqb_promises, dispositions);
MQB_SAME_PLACE(core::promises, max_unsettled_messages, mqb_promises, max_unsettled_messages);
MQB_SAME_PLACE(core::promises, max_unsettled_batches, mqb_promises, max_unsettled_batches);
MQB_SAME_PLACE(core::promises, holds_messages, mqb_promises, holds_messages);
MQB_SAME_PLACE(core::promises, holds_batches, mqb_promises, holds_batches);

static_assert(sizeof(store_entry) == sizeof(mqb_store_entry));
MQB_SAME_PLACE(store_entry, verb, mqb_store_entry, verb);
MQB_SAME_PLACE(store_entry, condition, mqb_store_entry, condition);
MQB_SAME_PLACE(store_entry, version, mqb_store_entry, version);
MQB_SAME_PLACE(store_entry, expiry_ns, mqb_store_entry, expiry_ns);
MQB_SAME_PLACE(store_entry, key, mqb_store_entry, key);
MQB_SAME_PLACE(store_entry, value, mqb_store_entry, value);
MQB_SAME_PLACE(store_entry, limit, mqb_store_entry, limit);

#undef MQB_SAME_PLACE

static_assert(static_cast<int>(core::status::unsupported) == MQB_UNSUPPORTED);
static_assert(static_cast<int>(core::disposition::released) == MQB_RELEASED);
static_assert(static_cast<int>(core::send_result::give_back) == MQB_GIVE_BACK && core::exhausted == MQB_EXHAUSTED);
static_assert(static_cast<int>(core::settle_result::retry) == MQB_SETTLE_RETRY &&
              static_cast<int>(core::settle_result::ok) == MQB_SETTLE_OK && static_cast<int>(core::settle_result::gone) == MQB_SETTLE_GONE);
static_assert(static_cast<int>(core::send_result::unsent) == MQB_UNSENT && static_cast<int>(core::send_result::done) == MQB_DONE &&
              static_cast<int>(core::send_result::again) == MQB_AGAIN && static_cast<int>(core::send_result::refused) == MQB_REFUSED &&
              static_cast<int>(core::send_result::uncertain) == MQB_UNCERTAIN);
static_assert(core::broken_key == MQB_META_BROKEN_KEY);
static_assert(static_cast<int>(core::became::delivered) == MQB_DELIVERED && static_cast<int>(core::became::filtered) == MQB_FILTERED &&
              static_cast<int>(core::became::duplicate) == MQB_DUPLICATE && static_cast<int>(core::became::discarded) == MQB_DISCARDED &&
              static_cast<int>(core::became::dead_lettered) == MQB_DEAD_LETTERED);
static_assert(std::uint32_t{core::promises::transactional} == std::uint32_t{MQB_TRANSACTIONAL});
static_assert(std::uint32_t{core::promises::emptied_at_stop} == std::uint32_t{MQB_EMPTIED_AT_STOP});
static_assert(std::uint32_t{core::promises::acknowledges} == std::uint32_t{MQB_ACKNOWLEDGES});

template <class T>
[[nodiscard]] inline mqb_list to_abi(const core::list<T>& from) noexcept {
    return {from.first, from.count, from.stride, from.size};
}
template <class T>
[[nodiscard]] inline core::list<T> to_core(const mqb_list& from) noexcept {
    return {from.first, from.count, from.stride, from.size};
}
[[nodiscard]] inline const core::message& to_core(const mqb_message& m) noexcept { return reinterpret_cast<const core::message&>(m); }
[[nodiscard]] inline const mqb_message& to_abi(const core::message& m) noexcept { return reinterpret_cast<const mqb_message&>(m); }
[[nodiscard]] inline core::status to_core(mqb_status s) noexcept { return static_cast<core::status>(s); }
[[nodiscard]] inline mqb_status to_abi(core::status s) noexcept { return static_cast<mqb_status>(s); }

// A list that may be read as elements of T: large enough, aligned, there.
template <class T>
[[nodiscard]] inline bool is_sound(const mqb_list& l) noexcept {
    return l.count == 0 || (l.first != nullptr && l.size >= sizeof(T) && l.stride >= l.size && l.stride % alignof(T) == 0 &&
                            reinterpret_cast<std::uintptr_t>(l.first) % alignof(T) == 0);
}

}  // namespace mqb::loading
