#include "host/loading/nested_parts.hpp"

#include <utility>

namespace mqb::loading {

namespace {
constexpr std::uint64_t rest_poll_ns = 1'000'000;  // a part that is being connected comes to rest by mail
}

core::publisher& nested_parts::add(std::unique_ptr<core::reconnecting_publisher> one, core::timers& clock) {
    clock_ = &clock;
    parts_.push_back({std::move(one), nullptr});
    return *parts_.back().publisher;
}

store& nested_parts::add(std::unique_ptr<loading::store> one) {
    parts_.push_back({nullptr, std::move(one)});
    return *parts_.back().store;
}

core::status nested_parts::connect(core::call& asked, std::function<void(core::status)> next) {
    asked_ = &asked;
    const core::status s = go_on_connecting();
    if (s == core::status::pending)
        connect_next_ = std::move(next);
    else
        asked_ = nullptr;
    return s;
}

core::status nested_parts::go_on_connecting() {
    call_.self = this;
    call_.done = [](core::call& c, core::status s) noexcept {
        nested_parts& self = *static_cast<own_call&>(c).self;
        if (s == core::status::ok || s == core::status::unsupported) {
            ++self.connected_;
            s = self.go_on_connecting();
        } else {
            self.asked_->texts = std::exchange(c.texts, {});
        }
        if (s != core::status::pending) self.answer_connect(s);
    };
    while (connected_ < parts_.size()) {
        call_.texts.clear();
        const core::status s = parts_[connected_].with([this](auto& p) { return p.connect(call_); });
        if (s == core::status::pending) return s;
        if (s != core::status::ok && s != core::status::unsupported) {
            asked_->texts = std::exchange(call_.texts, {});
            return s;
        }
        ++connected_;
    }
    return core::status::ok;
}

void nested_parts::answer_connect(core::status s) {
    asked_ = nullptr;
    std::exchange(connect_next_, nullptr)(s);
}

void nested_parts::cancel_connect() {
    if (asked_ && connected_ < parts_.size()) parts_[connected_].with([this](auto& p) { p.cancel(call_); });
}

core::status nested_parts::close(std::function<void()> next) {
    for (part& p : parts_)
        if (p.publisher) p.publisher->stop();
    const core::status s = go_on_closing();
    if (s == core::status::pending) close_next_ = std::move(next);
    return s;
}

core::status nested_parts::go_on_closing() {
    call_.self = timer_.self = this;
    call_.done = [](core::call& c, core::status) noexcept {
        nested_parts& self = *static_cast<own_call&>(c).self;
        ++self.closed_;
        if (self.go_on_closing() != core::status::pending) std::exchange(self.close_next_, nullptr)();
    };
    timer_.deliver = [](core::mail& m) noexcept {
        nested_parts& self = *static_cast<own_timer&>(m).self;
        if (self.go_on_closing() != core::status::pending) std::exchange(self.close_next_, nullptr)();
    };
    for (; closed_ < parts_.size(); ++closed_) {
        part& p = parts_[closed_];
        if (p.publisher && !p.publisher->is_at_rest()) {
            clock_->wait_until(core::later(clock_->now_steady(), rest_poll_ns), timer_);
            return core::status::pending;
        }
        if (p.with([this](auto& one) { return one.close(call_); }) == core::status::pending) return core::status::pending;
    }
    return core::status::ok;
}

void nested_parts::clear() noexcept {
    sink_ = nullptr;
    parts_.clear();
    connected_ = closed_ = 0;
}

void nested_parts::listen(core::event_sink* sink) {
    sink_ = sink;
    for (part& p : parts_) p.with([this](auto& one) { one.listen(sink_ ? this : nullptr); });
}

void nested_parts::on_state(bool connected, std::string_view cause) {
    if (sink_) sink_->on_state(connected, cause);
}
void nested_parts::on_count(std::string_view name, std::int64_t delta) {
    if (sink_) sink_->on_count(name, delta);
}
void nested_parts::on_warning(std::string_view text) {
    if (sink_) sink_->on_warning(text);
}
void nested_parts::on_bad_config(std::string_view text) {
    if (sink_) sink_->on_bad_config(text);
}
void nested_parts::on_misbehaviour(std::string_view text) {
    if (sink_) sink_->on_misbehaviour(text);
}

}  // namespace mqb::loading
