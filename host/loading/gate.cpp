#include "host/loading/gate.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/signal_guard.hpp"

#include <mqb/host.h>

#include <new>
#include <utility>

namespace mqb::loading {

namespace {
constexpr std::size_t most_mails = 65536;  // events that wait for one route; more is a plugin that floods it
constexpr std::uint64_t most_told = 16;    // misbehaviours of one instance that are told; the rest is only counted
constexpr std::size_t most_untold = 1024;
constexpr std::size_t most_lane_events = 4096;  // of one instance, that wait for its route
constexpr std::size_t most_lanes = 1u << 22;    // in all of these

constexpr bool is_about_lanes(const told_event& e) { return e.kind == MQB_LANES_ENDING || e.kind == MQB_LANES_ENDED; }
}  // namespace

gate::gate(const call_place& place, core::instance_context& context)
    : place_(place), box_(context.box), clock_(context.clock), log_(context.log) {}

admission gate::admits() const noexcept {
    switch (now()) {
        case phase::running: return admission::fine;
        case phase::freeing: {
            const bool is_inside_free = this_thread_entry().site.load(std::memory_order_relaxed) == &site(entry_point::free);
            return is_inside_free ? admission::forbidden : admission::late;
        }
        default: return admission::forbidden;
    }
}

void gate::enter_freed() noexcept {
    phase expected = phase::freeing;
    phase_.compare_exchange_strong(expected, phase::freed, std::memory_order_acq_rel);
}

bool gate::post(core::mail& m) noexcept {
    std::lock_guard lock{mutex_};
    if (!is_open_) return false;
    box_.put(m);
    return true;
}

namespace {
struct work_mail : core::mail {
    gate* self = nullptr;
    std::atomic<std::uint32_t>* out = nullptr;
    std::function<void()> work;
};
}  // namespace

void gate::post_work(std::function<void()> work) noexcept try {
    auto m = std::make_unique<work_mail>();
    m->self = this;
    m->out = &mails_out_;
    m->work = std::move(work);
    m->deliver = [](core::mail& delivered) noexcept {
        std::unique_ptr<work_mail> mine{&static_cast<work_mail&>(delivered)};
        mine->out->fetch_sub(1, std::memory_order_release);
        if (mine->self->now() != phase::gone) mine->work();
    };
    mails_out_.fetch_add(1, std::memory_order_relaxed);
    if (post(*m))
        static_cast<void>(m.release());  // the mailbox has it
    else
        mails_out_.fetch_sub(1, std::memory_order_release);
} catch (...) {
    misbehaviours_.fetch_add(1, std::memory_order_relaxed);  // no memory for it
}

bool gate::book_lanes(const told_event& e) noexcept {
    if (has_flooded_ || lane_events_out_ >= most_lane_events || lanes_out_ + e.lanes.size() > most_lanes) return false;
    ++lane_events_out_;
    lanes_out_ += e.lanes.size();
    return true;
}

void gate::tell(told_event e) noexcept try {
    std::unique_lock lock{mutex_};
    if (!is_open_) return;
    if (is_about_lanes(e) && !book_lanes(e)) {
        const bool is_first = !std::exchange(has_flooded_, true);
        lock.unlock();
        if (is_first) misbehaved("floods its route with events about lanes");
        return;
    }
    event_mail* m = spare_;
    if (m) {
        spare_ = m->next_spare;
    } else {
        const bool may_drop = e.kind == MQB_COUNT || e.kind == MQB_WARN || e.kind == MQB_STATE;
        if (mails_.size() >= most_mails && may_drop) {
            misbehaviours_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        mails_.push_back(std::make_unique<event_mail>());
        m = mails_.back().get();
        m->self = this;
        m->deliver = &gate::deliver;
    }
    m->event = std::move(e);
    mails_out_.fetch_add(1, std::memory_order_relaxed);
    box_.put(*m);
} catch (...) {
    misbehaviours_.fetch_add(1, std::memory_order_relaxed);  // no memory for an event
}

void gate::deliver(core::mail& m) noexcept {
    auto& mail = static_cast<event_mail&>(m);
    gate& self = *mail.self;
    told_event e = std::exchange(mail.event, {});
    {
        std::lock_guard lock{self.mutex_};
        mail.next_spare = self.spare_;
        self.spare_ = &mail;
        self.mails_out_.fetch_sub(1, std::memory_order_release);
        if (is_about_lanes(e)) {
            --self.lane_events_out_;
            self.lanes_out_ -= e.lanes.size();
        }
        if (!self.is_open_) return;
    }
    self.hand_over(e);
}

void gate::hand_over(const told_event& e) noexcept {
    if (!sink_) {
        if (untold_.size() < most_untold) untold_.push_back(e);
        return;
    }
    if (is_about_lanes(e) && !with_lanes_) return;
    switch (e.kind) {
        case MQB_STATE: return sink_->on_state(e.number != 0, e.text);
        case MQB_LANES_ENDING: return sink_->on_lanes_ending(e.lanes, e.deadline_ns, static_cast<std::uint64_t>(e.number));
        case MQB_LANES_ENDED: return sink_->on_lanes_ended(static_cast<std::uint64_t>(e.number));
        case MQB_COUNT: return sink_->on_count(e.text, e.number);
        case MQB_WARN: return sink_->on_warning(e.text);
        case told_event::misbehaviour: return sink_->on_misbehaviour(e.text);
        default: return;
    }
}

void gate::listen(core::event_sink* sink, bool with_lanes) noexcept {
    sink_ = sink;
    with_lanes_ = with_lanes;
    if (!sink_) return;
    // By mail, so that nobody is told anything inside `listen`.
    for (told_event& e : std::exchange(untold_, {})) tell(std::move(e));
}

void gate::misbehaved(entry_point where, std::string_view what) noexcept try {
    if (misbehaviours_.fetch_add(1, std::memory_order_relaxed) < most_told) report(site(where).text(), what);
} catch (...) {
    // Counted; there is no memory for more.
}

void gate::misbehaved(std::string_view what) noexcept try {
    if (misbehaviours_.fetch_add(1, std::memory_order_relaxed) < most_told) report(place_.plugin, what);
} catch (...) {}

void gate::report(std::string who, std::string_view what) {
    who += ' ';
    who += readable(what);
    write_log(core::log_level::error, who);
    tell({.kind = told_event::misbehaviour, .text = std::move(who), .number = 0, .deadline_ns = 0, .lanes = {}});
}

void gate::threw(entry_point where, std::string_view what, bool is_start) noexcept {
    try {
        const std::string text = "threw: " + readable(what);
        misbehaved(where, text);
        if (is_start) thrown_ = site(where).text() + ' ' + text;
    } catch (...) { misbehaved(where, "threw"); }
}

void gate::keep_signals(entry_point which) noexcept try {
    const std::string changed = restore_signals();
    if (!changed.empty())
        write_log(core::log_level::warning, site(which).text() + " changed what the host does on " + changed + ": put back");
} catch (...) {}  // no memory for the text

void gate::write_log(core::log_level level, std::string_view text) noexcept try {
    const std::string line = readable(text);
    std::lock_guard lock{mutex_};
    if (is_open_) log_.write(level, place_.route, place_.path, line);
} catch (const std::bad_alloc&) {
    // There is no memory for a line of the log.
}

std::string gate::without_secrets(std::string_view text) {
    std::lock_guard lock{mutex_};
    return is_open_ ? log_.without_secrets(text) : std::string{};
}

core::log_level gate::lowest_log_level() noexcept {
    std::lock_guard lock{mutex_};
    return is_open_ ? log_.lowest() : core::log_level::host_misbehaves;
}

std::uint64_t gate::steady_now() noexcept {
    std::lock_guard lock{mutex_};
    return is_open_ ? clock_.now_steady() : 0;
}

std::uint64_t gate::wall_now() noexcept {
    std::lock_guard lock{mutex_};
    return is_open_ ? clock_.now_wall() : 0;
}

void gate::close_for_good() noexcept {
    std::lock_guard lock{mutex_};
    is_open_ = false;
    sink_ = nullptr;
    phase_.store(phase::gone, std::memory_order_release);
}

bool gate::is_inside_cancel() const noexcept {
    return this_thread_entry().site.load(std::memory_order_relaxed) == &site(entry_point::cancel);
}

}  // namespace mqb::loading
