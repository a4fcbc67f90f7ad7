#include "host/loading/host_object.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/layout.hpp"
#include "host/loading/library.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace mqb::loading {

namespace {
constexpr std::uint32_t most_lanes = 65536;  // of one LANES_ENDING
}

const mqb_host_table host_object::table_{
    .struct_size = sizeof(mqb_host_table),
    .reserved = 0,
    .log_level = &on_log_level,
    .log = &on_log,
    .event = &on_event,
    .now = &on_now,
    .wait_until = &on_wait_until,
    .cancel = &on_cancel,
    .render = &on_render,
    .table_of = &on_table_of,
};

std::int32_t host_object::on_log_level(mqb_host* host) { return static_cast<std::int32_t>(of(host).gate_.lowest_log_level()); }

void host_object::on_log(mqb_host* host, std::int32_t level, mqb_text text) {
    const std::int32_t known = std::clamp<std::int32_t>(level, MQB_LOG_DEBUG, MQB_LOG_HOST_MISBEHAVES);
    of(host).gate_.write_log(static_cast<core::log_level>(known), view(text));
}

void host_object::on_event(mqb_host* host, const mqb_event* event) {
    try {
        take_event(of(host).gate_, event);
    } catch (...) { of(host).gate_.misbehaved("raises an event for which there is no memory"); }
}

void host_object::take_event(gate& g, const mqb_event* event) {
    constexpr std::size_t needed = offsetof(mqb_event, lane_count) + sizeof(event->lane_count);
    if (!event || event->struct_size < needed) return g.misbehaved("raises an event that is too short");
    if (event->kind < MQB_STATE || event->kind > MQB_WARN) return;
    switch (g.admits()) {
        case admission::fine: break;
        case admission::late: return;
        case admission::forbidden: return g.misbehaved("raises an event outside of its life");
    }
    if (event->kind == MQB_LANES_ENDING && (event->lane_count == 0 || !event->lanes))
        return g.misbehaved("raises LANES_ENDING without lanes");
    if (event->kind == MQB_LANES_ENDING && event->lane_count > most_lanes)
        return g.misbehaved("raises LANES_ENDING for more than 65536 lanes");
    told_event copy{
        .kind = event->kind, .text = readable(view(event->text)), .number = event->number, .deadline_ns = event->deadline_ns, .lanes = {}};
    if (event->kind == MQB_LANES_ENDING) copy.lanes.assign(event->lanes, event->lanes + event->lane_count);
    g.tell(std::move(copy));
}

std::uint64_t host_object::on_now(mqb_host* host, std::int32_t clock) {
    gate& g = of(host).gate_;
    return clock == MQB_CLOCK_WALL ? g.wall_now() : g.steady_now();
}

mqb_status host_object::on_wait_until(mqb_host* host, std::uint64_t steady_ns, mqb_call* call) {
    try {
        return of(host).timers_.wait_until(steady_ns, call);
    } catch (...) {
        return MQB_REJECTED;  // no memory for a timer
    }
}

void host_object::on_cancel(mqb_host* host, std::uint64_t operation) { of(host).timers_.cancel(operation); }

mqb_status host_object::on_render(mqb_host* host, std::uint32_t number, const mqb_message* message, char* out, std::size_t* size) {
    const render_function& render = of(host).render_;
    if (!render || !message || !size) return MQB_REJECTED;
    try {
        return to_abi(render(number, to_core(*message), std::span{out, out ? *size : 0}, *size));
    } catch (...) {
        return MQB_REJECTED;  // nothing may cross into the plugin
    }
}

const void* host_object::on_table_of(mqb_host* host, mqb_text plugin, mqb_text id) {
    if (of(host).gate_.now() != phase::creating) return nullptr;
    try {
        return table_of_open_library(view(plugin), view(id));
    } catch (...) { return nullptr; }
}

}  // namespace mqb::loading
