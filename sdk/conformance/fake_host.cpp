#include "fake_host.hpp"

#include "library.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mqb::conformance {
namespace {
constexpr std::uint32_t most_lanes = 65536;
constexpr std::size_t most_events = 4096;
}  // namespace

std::uint64_t steady_now() { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / 1ns); }

const mqb_host_table fake_host::table_ = {sizeof(mqb_host_table), 0,         on_log_level, on_log,     on_event, on_now,
                                          on_wait_until,          on_cancel, on_render,    on_table_of};

fake_host::fake_host(std::recursive_mutex* serial) : face_{{&table_}, this}, serial_(serial) {}
fake_host& fake_host::make(std::recursive_mutex* serial) {
    static std::mutex guard;
    static auto& all = *new std::vector<fake_host*>;  // kept for ever, and not as leaks
    std::lock_guard lock(guard);
    return *all.emplace_back(new fake_host(serial));
}
fake_host& fake_host::of(mqb_host* h) { return *reinterpret_cast<face*>(h)->self; }

void fake_host::enter_state(state s) { state_ = s; }

void fake_host::called(const char* slot, bool in_create, bool in_free) {
    ++calls_;
    const state s = state_;
    const std::string what = std::string("host.") + slot + " was called ";
    if (s == state::freed) note(rules::free_quiet, what + "after free had returned");
    if (s == state::creating && !in_create) note(rules::create_calls, what + "inside create");
    if (s == state::freeing && !in_free) note(rules::free_calls, what + "inside free");
}

std::int32_t fake_host::on_log_level(mqb_host* h) {
    of(h).called("log_level", true, true);  // free may log, so it may ask first
    return MQB_LOG_DEBUG;
}
void fake_host::on_log(mqb_host* h, std::int32_t level, mqb_text text) {
    fake_host& self = of(h);
    self.called("log", true, true);
    check_text("a log line", text);
    std::lock_guard lock(self.guard_);
    self.log_.push_back(std::to_string(level) + " " + (text.size ? std::string(text.data, std::min<std::size_t>(text.size, 4096)) : ""));
}
void fake_host::on_event(mqb_host* h, const mqb_event* e) {
    fake_host& self = of(h);
    self.called("event", false, false);
    const std::uint64_t moment = next_moment(), now = steady_now();
    if (e->struct_size < offsetof(mqb_event, lane_count) + sizeof e->lane_count)
        return note(rules::event, "an event has struct_size " + std::to_string(e->struct_size));
    check_text("the text of an event", e->text);
    const bool ending = e->kind == MQB_LANES_ENDING;
    if (ending && (!e->lanes || !e->lane_count)) return note(rules::event, "LANES_ENDING names no lane");
    if (ending && e->lane_count > most_lanes)
        return note(rules::many_lanes, "LANES_ENDING names " + std::to_string(e->lane_count) + " lanes");
    std::lock_guard lock(self.guard_);
    if (ending && !self.tokens_.insert(e->number).second)
        note(rules::event, "the token " + std::to_string(e->number) + " of LANES_ENDING was used before");
    if (e->kind == MQB_LANES_ENDED && !self.tokens_.count(e->number))
        note(rules::event, "LANES_ENDED brings the token " + std::to_string(e->number) + ", which no LANES_ENDING had");
    if (++self.raised_ > most_events)
        return warn("more than 4096 events were raised; a host drops events, or ends a route, that floods it");
    seen_event seen{e->kind, e->number, e->text.size ? std::string(e->text.data, e->text.size) : "", {}, e->deadline_ns, moment, now};
    if (ending) seen.lanes.assign(e->lanes, e->lanes + e->lane_count);
    self.events_.push_back(std::move(seen));
    self.changed_.notify_all();
}
std::optional<seen_event> fake_host::wait_for_event(std::int32_t kind, std::chrono::milliseconds patience,
                                                    std::optional<std::int64_t> token) {
    std::unique_lock lock(guard_);
    std::optional<seen_event> found;
    changed_.wait_for(lock, patience, [&] {
        for (const seen_event& e : events_)
            if (e.kind == kind && (!token || e.number == *token)) return found = e, true;
        return false;
    });
    return found;
}
std::uint64_t fake_host::on_now(mqb_host* h, std::int32_t clock) {
    of(h).called("now", true, false);
    return clock == MQB_CLOCK_STEADY ? steady_now() : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() / 1ns);
}
mqb_status fake_host::on_wait_until(mqb_host* h, std::uint64_t at, mqb_call* call) {
    fake_host& self = of(h);
    self.called("wait_until", false, false);
    std::lock_guard lock(self.guard_);
    if (!self.timers_.emplace(call->operation, timer{at, call}).second)
        note(rules::struct_owner, "wait_until was given an operation that is in flight on this host");
    if (!std::exchange(self.has_clock_, true))
        std::thread([&self] {
            this_thread_is_the_kits();
            self.run_timers();
        }).detach();
    self.changed_.notify_all();
    return MQB_PENDING;
}
void fake_host::on_cancel(mqb_host* h, std::uint64_t operation) {
    fake_host& self = of(h);
    self.called("cancel", false, false);
    std::lock_guard lock(self.guard_);
    auto it = self.timers_.find(operation);
    if (it != self.timers_.end()) it->second.at = 0;
    self.changed_.notify_all();
}
mqb_status fake_host::on_render(mqb_host* h, std::uint32_t number, const mqb_message*, char* out, std::size_t* size) {
    of(h).called("render", false, false);
    if (number > 1000) return MQB_REJECTED;
    const std::string text = "rendered-" + std::to_string(number);
    const bool fits = *size >= text.size();
    if (fits) std::memcpy(out, text.data(), text.size());
    *size = text.size();
    return fits ? MQB_OK : MQB_RETRY;
}
const void* fake_host::on_table_of(mqb_host* h, mqb_text, mqb_text) {
    fake_host& self = of(h);
    self.called("table_of", true, false);
    if (self.state_ != state::creating) note(rules::create_calls, "host.table_of was called outside create");
    return nullptr;
}

void fake_host::complete(mqb_call* call, mqb_status status) {
    std::unique_lock<std::recursive_mutex> turn;
    if (serial_) turn = std::unique_lock(*serial_);
    call->done(call, status);
}
void fake_host::run_timers() {
    std::unique_lock lock(guard_);
    for (;;) {
        auto next = std::min_element(timers_.begin(), timers_.end(), [](auto& a, auto& b) { return a.second.at < b.second.at; });
        if (next == timers_.end()) {
            changed_.wait(lock);
        } else if (next->second.at > steady_now()) {
            changed_.wait_for(lock, std::chrono::nanoseconds(std::min<std::uint64_t>(next->second.at - steady_now(), 1000000000)));
        } else {
            const timer due = next->second;
            timers_.erase(next);
            delivering_ = true;
            lock.unlock();
            complete(due.call, due.at ? MQB_OK : MQB_CANCELLED);
            lock.lock();
            delivering_ = false;
            changed_.notify_all();
        }
    }
}
void fake_host::end_timers() {
    std::unique_lock lock(guard_);
    for (int round = 0; round < 1000 && (delivering_ || !timers_.empty()); ++round) {
        for (auto& t : timers_) t.second.at = 0;
        changed_.notify_all();
        changed_.wait_for(lock, 5ms);
    }
}

std::vector<seen_event> fake_host::events() {
    std::lock_guard lock(guard_);
    return events_;
}
std::vector<std::string> fake_host::log() {
    std::lock_guard lock(guard_);
    return log_;
}

}  // namespace mqb::conformance
