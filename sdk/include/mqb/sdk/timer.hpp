// timer: an alarm of the host's clock, as a member of an instance.
#pragma once

#include <mqb/sdk/instance.hpp>

namespace mqb::sdk {

// One alarm at a time. The host cancels what is left before it calls free, so the member always outlives its alarm.
// Threads: start and cancel are [any], but start not while the alarm is set; `rang` runs on a thread of the host and must return
// soon.
class timer {
public:
    timer() = default;
    timer(const timer&) = delete;

    // At `steady_ns` of host().now(), or soon after: rang(context, on_time). False, and no alarm: the host has none.
    bool start(host_ref host, std::uint64_t steady_ns, void (*rang)(void* context, bool on_time), void* context) noexcept {
        rang_ = rang, context_ = context;
        alarm_ = alarm{{sizeof(mqb_call), 0, detail::next_operation(), done, detail::explain_nothing}, this};
        return host.raw()->table->wait_until(host.raw(), steady_ns, &alarm_.call) == MQB_PENDING;
    }
    void cancel(host_ref host) noexcept { host.raw()->table->cancel(host.raw(), alarm_.call.operation); }

private:
    struct alarm {
        mqb_call call;
        timer* self;
    };
    static void done(mqb_call* call, mqb_status answer) {
        timer* self = reinterpret_cast<alarm*>(call)->self;
        self->rang_(self->context_, answer == MQB_OK);
    }
    alarm alarm_{};
    void (*rang_)(void*, bool) = nullptr;
    void* context_ = nullptr;
};

}  // namespace mqb::sdk
