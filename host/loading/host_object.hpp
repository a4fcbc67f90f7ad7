// host_object: the host as one instance sees it, the table mqb_host.
#pragma once

#include "host/loading/gate.hpp"
#include "host/loading/host_timers.hpp"
#include "host/loading/services.hpp"

#include <mqb/host.h>

namespace mqb::loading {

// Any thread, as the table says. Outlives its instance where the plugin does not let go.
class host_object {
public:
    host_object(gate& owner, host_timers& timers) : face_{{&table_}, this}, gate_(owner), timers_(timers) {}
    host_object(const host_object&) = delete;
    host_object& operator=(const host_object&) = delete;

    [[nodiscard]] mqb_host* handle() noexcept { return &face_.base; }
    // Before create.
    void set_render(render_function render) { render_ = std::move(render); }

private:
    struct face {
        mqb_host base;
        host_object* self;
    };
    static host_object& of(mqb_host* host) noexcept { return *reinterpret_cast<face*>(host)->self; }

    static std::int32_t on_log_level(mqb_host* host);
    static void on_log(mqb_host* host, std::int32_t level, mqb_text text);
    static void on_event(mqb_host* host, const mqb_event* event);
    static void take_event(gate& g, const mqb_event* event);
    static std::uint64_t on_now(mqb_host* host, std::int32_t clock);
    static mqb_status on_wait_until(mqb_host* host, std::uint64_t steady_ns, mqb_call* call);
    static void on_cancel(mqb_host* host, std::uint64_t operation);
    static mqb_status on_render(mqb_host* host, std::uint32_t number, const mqb_message* message, char* out, std::size_t* size);
    static const void* on_table_of(mqb_host* host, mqb_text plugin, mqb_text id);
    static const mqb_host_table table_;

    face face_;
    gate& gate_;
    host_timers& timers_;
    render_function render_;
};

}  // namespace mqb::loading
