// plugin_calls: what the adapters of consumers, publishers and stores do alike.
#pragma once

#include "host/loading/abi_text.hpp"
#include "host/loading/instance.hpp"
#include "host/loading/layout.hpp"
#include "host/loading/signal_guard.hpp"

#include <mqb/call.h>

#include <utility>

namespace mqb::loading {

core::status finish_connect(operation& op, mqb_status answer) noexcept;
// A connect has changed the signal mask of the thread on which it was called.
void tell_mask(gate& door) noexcept;

// Starts a connect through its slot.
template <class Handle>
core::status connect_handle(plugin_instance& it, Handle* handle, mqb_status (*slot)(Handle*, mqb_call*), core::call& c, void* adapter) {
    if (!slot) return core::status::ok;
    operation& op = it.operations().take(entry_point::connect, c, adapter, &finish_connect);
    op.abi.head = op.head(sizeof op.abi.head);
    mask_guard mask;
    const mqb_status s = it.door().call(entry_point::connect, MQB_BAD_CONFIG, [&] { return slot(handle, &op.abi.head); });
    if (mask.restore()) [[unlikely]]
        tell_mask(it.door());
    return it.operations().started(op, s);
}

// The same after what the instance nests.
template <class Handle>
core::status start_connect(plugin_instance& it, Handle* handle, mqb_status (*slot)(Handle*, mqb_call*), core::call& c, void* adapter) {
    if (it.nested().is_connected()) return connect_handle(it, handle, slot, c, adapter);
    const core::status s = it.nested().connect(c, [&it, handle, slot, &c, adapter](core::status nested) {
        if (nested == core::status::ok) nested = connect_handle(it, handle, slot, c, adapter);
        if (nested != core::status::pending) c.done(c, nested);
    });
    return s == core::status::ok ? connect_handle(it, handle, slot, c, adapter) : s;
}

// What a plugin's `answer` of a control call does.
void keep_control_answer(mqb_control* control, mqb_text json);
core::status finish_control(operation& op, mqb_status answer) noexcept;

template <class Handle>
core::status start_control(plugin_instance& it, Handle* handle, mqb_status (*slot)(Handle*, mqb_control*), core::control_call& c,
                           void* adapter) {
    if (!slot) return core::status::unsupported;
    operation& op = it.operations().take(entry_point::control, c, adapter, &finish_control);
    op.abi.control = {op.head(sizeof op.abi.control), text_of(c.id), text_of(c.request), &keep_control_answer};
    const mqb_status s = it.door().call(entry_point::control, MQB_DISCONNECTED, [&] { return slot(handle, &op.abi.control); });
    return it.operations().started(op, s);
}

// Asks the plugin to end the operation behind an upper call, if there is one.
template <class Handle>
void cancel_call(plugin_instance& it, Handle* handle, void (*slot)(Handle*, std::uint64_t), const core::call& c) {
    if (it.nested().is_connecting(c)) return it.nested().cancel_connect();
    if (const operation* op = it.operations().pending(c))
        it.door().call(entry_point::cancel, [&] { slot(handle, op->abi.head.operation); });
}

template <class Handle>
core::status start_close(plugin_instance& it, Handle* handle, void (*slot)(Handle*), core::call& c) {
    return it.close(c, [&it, handle, slot] { it.door().call(entry_point::free, [&] { slot(handle); }); });
}

// Replaces results that no reader knows, or that this kind may not give.
void check_results(operation& op, const core::list<core::outcome>& outcomes, std::int32_t highest, std::int32_t instead) noexcept;

}  // namespace mqb::loading
