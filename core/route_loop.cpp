// route_loop: the life of a route: make, connect, move, come to rest, close.
#include "core/running_route.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <time.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace mqb::core {

namespace {
// A route that always has something to do lets the others of its thread run after so long.
constexpr std::uint64_t longest_turn_ns = 4'000'000;

// Some milliseconds coarse, and a few nanoseconds cheap.
std::uint64_t coarse_now() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
}  // namespace

running_route::running_route(route_definition definition, const route_environment& in)
    : definition_(std::move(definition)), in_(in), log_(in.log), clock_(in.executor, box_), since_(std::chrono::system_clock::now()),
      started_(std::chrono::steady_clock::now()) {
    receive_.self = this;
    receive_.done = [](call& c, status answer) noexcept {
        auto& r = static_cast<receiving&>(c);
        r.pending = false;
        r.self->received(answer);
    };
    poll_.self = deadline_.self = startup_.self = this;
    startup_.deliver = [](mail& m) noexcept {
        auto& t = static_cast<route_timer&>(m);
        t.pending = false;
        running_route& self = *t.self;
        if (t.was_cancelled || self.is_connected_ || self.failing_) return;
        self.fail("not connected within " + std::to_string(self.definition_.startup_timeout->count()) + " ms" +
                  (self.lost_cause_.empty() ? "" : ": " + self.lost_cause_));
    };
    poll_.deliver = [](mail& m) noexcept { static_cast<route_timer&>(m).pending = false; };
    deadline_.deliver = [](mail& m) noexcept {
        auto& t = static_cast<route_timer&>(m);
        running_route& self = *t.self;
        t.pending = false;
        if (t.was_cancelled) return;
        if (self.is_late_) {
            self.is_too_late_ = true;
            return;
        }
        self.is_late_ = true;
        self.cancel_what_is_in_flight();
        self.set_deadline();
    };
    wake_.deliver = [](mail& m) noexcept { static_cast<wake_up&>(m).posted = false; };
}

running_route::~running_route() = default;

void running_route::start(std::function<void()> on_ended) {
    on_ended_ = std::move(on_ended);
    started_ = std::chrono::steady_clock::now();
    boost::asio::co_spawn(in_.executor, run(shared_from_this()), boost::asio::detached);
}

void running_route::stop() {
    stop_requested_ = true;
    if (!wake_.posted.exchange(true)) box_.put(wake_);
}

void running_route::pause() {
    pause_requested_ = true;
    if (!wake_.posted.exchange(true)) box_.put(wake_);
}

void running_route::resume() {
    pause_requested_ = false;
    if (!wake_.posted.exchange(true)) box_.put(wake_);
}

boost::asio::awaitable<void> running_route::run(std::shared_ptr<running_route> self) {
    bool clean = false;
    try {
        const bool made = co_await self->make_chains();
        if (made) {
            const bool connected = co_await self->connect_all();
            if (connected && !self->definition_.connect_only) co_await self->move_messages();
            clean = co_await self->come_to_rest();
        } else {
            self->stop_links();
            clean = self->stuck_.empty();
        }
        if (clean) clean = co_await self->close_all();
    } catch (const std::exception& e) { self->fail(std::string{"internal error: "} + e.what()); }
    if (!clean) self->leave_behind();
    self->finish();
}

// What could not be made now may be made later, unless its configuration is wrong. False: not any more.
boost::asio::awaitable<bool> running_route::pause_after(failure why, std::uint64_t pause_ns) {
    if (why.what == status::bad_config || stop_requested_) {
        if (why.what == status::bad_config) fail(std::move(why.text));
        co_return false;
    }
    log_.write(log_level::warning, definition_.name, {}, why.text);
    lost_cause_ = std::move(why.text);
    update_state();
    poll_.pending = true;
    const std::uint64_t until = later(clock_.now_steady(), pause_ns);
    note_next_try(until);
    clock_.wait_until(until, poll_);
    while (poll_.pending) {
        co_await until_mail();
        if (poll_.pending && (stop_requested_ || failing_)) clock_.cancel(poll_);
    }
    co_return !stop_requested_ && !failing_;
}

// The output first: nothing is read before it can be written.
boost::asio::awaitable<bool> running_route::connect_all() {
    bool connected = co_await connect_one(nullptr, output_->link.get(), definition_.output.path);
    for (auto& m : output_->middlewares)
        if (connected) connected = co_await connect_one(nullptr, m.get(), definition_.output.path);
    for (auto& slot : slots_)
        if (connected && slot.worker) connected = co_await connect_one(nullptr, slot.top, definition_.output.path);
    if (connected && dead_target_) connected = co_await connect_one(nullptr, dead_target_.get(), dead_letters_path);
    if (connected) connected = co_await connect_one(input_->book.get(), nullptr, definition_.input.path);
    for (auto& m : input_->middlewares)
        if (connected) connected = co_await connect_one(m.get(), nullptr, definition_.input.path);
    is_connected_ = connected;
    if (startup_.pending) clock_.cancel(startup_);
    if (connected) lost_cause_.clear();
    update_state();
    co_return connected;
}

boost::asio::awaitable<bool> running_route::connect_one(consumer* c, publisher* p, const std::string& path) {
    auto connecting = std::make_unique<awaited>();
    connecting->ends_with(c ? c->connect(*connecting) : p->connect(*connecting));
    bool has_cancelled = false;
    while (!connecting->ended && !is_too_late_) {
        const bool gives_up = failing_ && !has_cancelled;
        if ((stop_requested_ && !stopping_) || gives_up) {
            begin_stopping();
            has_cancelled = true;
            c ? c->cancel(*connecting) : p->cancel(*connecting);
        }
        if (!connecting->ended) co_await until_mail();
    }
    if (!connecting->ended) {
        fail(path + ": connect did not come back");
        (void)connecting.release();  // the plugin may still complete it
        co_return false;
    }
    if (connecting->answer == status::ok || connecting->answer == status::unsupported) co_return !failing_ && !stopping_;
    if (!stopping_) {
        const auto text = connecting->texts.best(whole_call);
        fail(path + ": " + (text.empty() ? "cannot connect: " + std::string{to_text(connecting->answer)} : std::string{text}));
    }
    co_return false;
}

bool running_route::is_over() const noexcept {
    if (is_too_late_) return true;
    if (receive_.pending || is_flush_pending() || !ready_.empty() || queued_ != 0 || under_way_ != 0) return false;
    return stopping_ || (input_ended_ && input_->book->is_empty());
}

boost::asio::awaitable<void> running_route::move_messages() {
    {
        std::lock_guard lock{mutex_};
        answers_lag_ = true;
    }
    for (;;) {
        box_.deliver_all();
        look_at_requests();
        const bool has_read = read();
        const bool has_sent = send_next();
        update_bytes();
        if (!lost_cause_.empty()) note_next_try();  // a link that was lost decides when after it has said so
        if (is_over()) co_return;
        if (paused_) look_if_quiet();
        if (!has_read && !has_sent && !box_.has_mail())
            co_await until_mail();
        else if (coarse_now() - turn_began_ns_ >= longest_turn_ns)
            co_await let_others_run();
    }
}

boost::asio::awaitable<void> running_route::let_others_run() {
    auto yield = boost::asio::post(in_.executor, boost::asio::deferred);
    co_await std::move(yield);
    turn_began_ns_ = coarse_now();
}

boost::asio::awaitable<void> running_route::until_mail() {
    if (!box_.has_mail()) {
        auto wait = box_.async_wait(boost::asio::deferred);
        co_await std::move(wait);
        turn_began_ns_ = coarse_now();
    } else if (coarse_now() - turn_began_ns_ >= longest_turn_ns) {
        co_await let_others_run();
    }
    box_.deliver_all();
}

void running_route::look_at_requests() {
    if (stop_requested_ && !stopping_ && !begins_emptying()) begin_stopping();
    if (lag_requested_.exchange(false)) ask_the_source();
    const bool wanted = pause_requested_.load(std::memory_order_relaxed);
    if (wanted == paused_ || stopping_) return;
    if (wanted) return pause_for("paused");
    paused_ = false;
    {
        std::lock_guard lock{mutex_};
        is_quiet_ = false;
    }
    input_->book->resume();
    log_.write(log_level::info, definition_.name, {}, "resumed");
    update_state();
}

// What waits to be tried again comes again from the source.
void running_route::end_pauses() {
    hurries_ = true;
    flights_.each([this](flight& f) {
        if (f.timer.pending) clock_.cancel(f.timer);
    });
    links_.end_pauses();
    for (route_slot& s : slots_)
        if (s.worker) s.worker->end_pauses();
}

void running_route::stop_links() {
    if (input_) input_->link->stop();
    if (output_) output_->link->stop();
    links_.stop();
    for (route_slot& s : slots_)
        if (s.worker) s.worker->stop_links();
}

// What a source keeps in this process only is sent on first, as far as there is time.
bool running_route::begins_emptying() {
    if (paused_ || is_late_ || failing_ || !input_->leaf.has(promises::emptied_at_stop)) return false;
    if (std::exchange(empties_, true)) return true;
    if (receive_.pending) input_->top().cancel(receive_);
    if (poll_.pending) clock_.cancel(poll_);
    set_deadline();
    update_state();
    return true;
}

void running_route::begin_stopping() {
    stopping_ = true;
    end_pauses();
    if (input_) input_->book->stop_presenting();
    if (receive_.pending) input_->top().cancel(receive_);
    if (poll_.pending) clock_.cancel(poll_);
    set_deadline();
}

// The first deadline leaves a fifth of the time for what was cancelled to come back.
void running_route::set_deadline() {
    if (deadline_.pending) return;
    const auto timeout = static_cast<std::uint64_t>(std::chrono::nanoseconds{definition_.shutdown_timeout}.count());
    deadline_.pending = true;
    clock_.wait_until(later(clock_.now_steady(), is_late_ ? timeout / 5 : timeout / 5 * 4), deadline_);
}

void running_route::cancel_what_is_in_flight() {
    if (!input_) return;
    if (receive_.pending) input_->top().cancel(receive_);
    flights_.each([this](flight& f) {
        if (f.at == flight::stage::sending) f.slot->top->cancel(f.send);
        if (f.timer.pending) clock_.cancel(f.timer);
    });
    for (route_slot& s : slots_)
        if (s.flush.pending) s.top->cancel(s.flush);
    if (dead_flush_.pending) dead_target_->cancel(dead_flush_);
    input_->book->cancel_burials();
    stop_links();
}

bool running_route::is_at_rest() const noexcept {
    return !receive_.pending && !is_flush_pending() && under_way_ == 0 && ready_.empty() && queued_ == 0 && !poll_.pending &&
           !startup_.pending && input_->book->is_at_rest() && input_->link->is_at_rest() && output_->link->is_at_rest() &&
           links_.is_at_rest() && (!gate_ || gate_->is_at_rest()) &&
           std::ranges::all_of(slots_, [](const route_slot& s) { return !s.worker || s.worker->is_at_rest(); });
}

}  // namespace mqb::core
