// route_loop: the life of a route: make, connect, move, come to rest, close.
#include "core/running_route.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <time.h>

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
constexpr std::uint64_t first_making_pause_ns = 100'000'000;
}  // namespace

running_route::running_route(route_definition definition, const CustomEndpointFactory& endpoints,
                             const CustomMiddlewareFactory& middlewares, logger& log, boost::asio::any_io_executor executor)
    : definition_(std::move(definition)), endpoints_(endpoints), middlewares_(middlewares), log_(log), executor_(std::move(executor)),
      clock_(executor_, box_), since_(std::chrono::system_clock::now()), started_(std::chrono::steady_clock::now()) {
    receive_.self = this;
    receive_.done = [](call& c, status answer) noexcept {
        auto& r = static_cast<receiving&>(c);
        r.pending = false;
        r.self->received(answer);
    };
    flush_.self = this;
    flush_.done = [](call& c, status) noexcept { static_cast<flushing&>(c).pending = false; };
    poll_.self = deadline_.self = this;
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
    boost::asio::co_spawn(executor_, run(shared_from_this()), boost::asio::detached);
}

void running_route::stop() {
    stop_requested_ = true;
    if (!wake_.posted.exchange(true)) box_.put(wake_);
}

boost::asio::awaitable<void> running_route::run(std::shared_ptr<running_route> self) {
    bool clean = false;
    try {
        const bool made = co_await self->make_chains();
        if (made) {
            const bool connected = co_await self->connect_all();
            if (connected) co_await self->move_messages();
            clean = co_await self->come_to_rest();
        } else {
            clean = true;
        }
        if (clean) clean = co_await self->close_all();
    } catch (const std::exception& e) { self->fail(std::string{"internal error: "} + e.what()); }
    if (!clean) self->leave_behind();
    self->finish();
}

boost::asio::awaitable<bool> running_route::make_chains() {
    backoff pauses{first_making_pause_ns, static_cast<std::uint64_t>(std::chrono::nanoseconds{definition_.reconnect_interval}.count())};
    const chain_parts parts{definition_, endpoints_, middlewares_, log_, box_, clock_, counters_};
    while (!output_) {
        auto making = make_output(parts);
        auto made = co_await std::move(making);
        if (made) {
            output_.emplace(std::move(*made));
        } else {
            const bool goes_on = co_await pause_after(made.error(), pauses.next());
            if (!goes_on) co_return false;
        }
    }
    output_->link->listen(this);
    for (auto& m : output_->middlewares) m->listen(this);
    while (!input_) {
        auto making = make_input(parts);
        auto made = co_await std::move(making);
        if (made) {
            input_.emplace(std::move(*made));
        } else {
            const bool goes_on = co_await pause_after(made.error(), pauses.next());
            if (!goes_on) co_return false;
        }
    }
    input_->book->listen(this);
    for (auto& m : input_->middlewares) m->listen(this);
    window_ = output_->top_promises.has(promises::concurrent | promises::ordered_retry) ? std::max(definition_.send_window, 1u) : 1;
    keeps_order_ = window_ > 1 && output_->top_promises.has(promises::ordered_retry);
    wants_replies_ = (input_->leaf.dispositions & bit(disposition::reply)) != 0;
    co_return true;
}

// What could not be made now may be made later, unless its configuration is wrong. False: not any more.
boost::asio::awaitable<bool> running_route::pause_after(failure why, std::uint64_t pause_ns) {
    if (why.what == status::bad_config || stop_requested_) {
        if (why.what == status::bad_config) fail(std::move(why.text));
        co_return false;
    }
    log_.write(log_level::warning, definition_.name, {}, why.text);
    set_state(route_state::reconnecting, std::move(why.text));
    poll_.pending = true;
    clock_.wait_until(later(clock_.now_steady(), pause_ns), poll_);
    while (poll_.pending) {
        co_await until_mail();
        if (poll_.pending && stop_requested_) clock_.cancel(poll_);
    }
    co_return !stop_requested_;
}

// The output first: nothing is read before it can be written.
boost::asio::awaitable<bool> running_route::connect_all() {
    bool connected = co_await connect_one(nullptr, output_->link.get(), definition_.output.path);
    for (auto& m : output_->middlewares)
        if (connected) connected = co_await connect_one(nullptr, m.get(), definition_.output.path);
    if (connected) connected = co_await connect_one(input_->book.get(), nullptr, definition_.input.path);
    for (auto& m : input_->middlewares)
        if (connected) connected = co_await connect_one(m.get(), nullptr, definition_.input.path);
    is_connected_ = connected;
    if (connected) set_state(definition_.drain ? route_state::draining : route_state::running, {});
    co_return connected;
}

boost::asio::awaitable<bool> running_route::connect_one(consumer* c, publisher* p, const std::string& path) {
    auto connecting = std::make_unique<awaited>();
    connecting->ends_with(c ? c->connect(*connecting) : p->connect(*connecting));
    while (!connecting->ended && !is_too_late_) {
        if (stop_requested_ && !stopping_) {
            begin_stopping();
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
    if (receive_.pending || flush_.pending || !ready_.empty() || under_way_ != 0) return false;
    return stopping_ || (input_ended_ && input_->book->is_empty());
}

boost::asio::awaitable<void> running_route::move_messages() {
    for (;;) {
        box_.deliver_all();
        if (stop_requested_ && !stopping_) begin_stopping();
        const bool has_read = read();
        const bool has_sent = send_next();
        update_bytes();
        if (is_over()) co_return;
        if (!has_read && !has_sent && !box_.has_mail())
            co_await until_mail();
        else if (coarse_now() - turn_began_ns_ >= longest_turn_ns)
            co_await let_others_run();
    }
}

boost::asio::awaitable<void> running_route::let_others_run() {
    auto yield = boost::asio::post(executor_, boost::asio::deferred);
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

void running_route::begin_stopping() {
    stopping_ = true;
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
    for (auto& f : flights_) {
        if (f->at == flight::stage::sending) output_->top().cancel(f->send);
        if (f->timer.pending) clock_.cancel(f->timer);
    }
    if (flush_.pending) output_->top().cancel(flush_);
    input_->link->stop();
    output_->link->stop();
}

bool running_route::is_at_rest() const noexcept {
    return !receive_.pending && !flush_.pending && under_way_ == 0 && ready_.empty() && !poll_.pending && input_->book->is_at_rest() &&
           input_->link->is_at_rest() && output_->link->is_at_rest();
}

// Waits for the outcome of everything that is in flight. False: something did not come back in time.
boost::asio::awaitable<bool> running_route::come_to_rest() {
    set_deadline();
    stopping_ = true;
    while (!is_too_late_ && (receive_.pending || under_way_ != 0 || !ready_.empty() || flush_.pending)) {
        send_next();
        if (under_way_ != 0 || receive_.pending || flush_.pending) co_await until_mail();
    }
    if (!is_too_late_) {
        flush();
        while (!is_too_late_ && flush_.pending) co_await until_mail();
    }
    while (!is_late_ && input_->book->unrecorded() != 0 && !input_->link->has_given_up()) co_await until_mail();
    input_->book->give_up();
    if (poll_.pending) clock_.cancel(poll_);
    input_->link->stop();
    output_->link->stop();
    while (!is_too_late_ && !is_at_rest()) co_await until_mail();
    update_bytes();
    if (!is_at_rest()) {
        fail("a plugin call did not come back within the shutdown timeout");
        co_return false;
    }
    co_return true;
}

// Outermost first: what a middleware was lent stays valid until its own end.
boost::asio::awaitable<bool> running_route::close_all() {
    bool closed = true;
    if (input_) {
        while (closed && !input_->middlewares.empty()) {
            closed = co_await close_one(input_->middlewares.back().get(), nullptr, definition_.input.path);
            if (closed) input_->middlewares.pop_back();
        }
        if (closed) closed = co_await close_one(input_->book.get(), nullptr, definition_.input.path);
    }
    if (output_) {
        while (closed && !output_->middlewares.empty()) {
            closed = co_await close_one(nullptr, output_->middlewares.back().get(), definition_.output.path);
            if (closed) output_->middlewares.pop_back();
        }
        if (closed) closed = co_await close_one(nullptr, output_->link.get(), definition_.output.path);
    }
    if (deadline_.pending) clock_.cancel(deadline_);
    while (deadline_.pending) co_await until_mail();
    while (box_.deliver_all()) {}
    co_return closed;
}

boost::asio::awaitable<bool> running_route::close_one(consumer* c, publisher* p, const std::string& path) {
    auto closing = std::make_unique<awaited>();
    closing->ends_with(c ? c->close(*closing) : p->close(*closing));
    if (!closing->ended) set_deadline();
    while (!closing->ended && !is_too_late_) co_await until_mail();
    if (closing->ended) co_return true;
    fail(path + ": free did not return within the shutdown timeout");
    (void)closing.release();  // the plugin may still come back to it
    co_return false;
}

// Something of this route is still inside a plugin: nothing of it may ever be destroyed.
void running_route::leave_behind() {
    struct left_behind {
        std::shared_ptr<running_route> what;
        left_behind* next;
    };
    static std::atomic<left_behind*> all{nullptr};
    auto* mine = new left_behind{shared_from_this(), all.load()};
    while (!all.compare_exchange_weak(mine->next, mine)) {}
    std::lock_guard lock{mutex_};
    abandoned_ = true;
}

void running_route::finish() {
    const ledger_totals totals = counters_.totals();
    if (input_ && input_->book->count_held() != totals.in_flight) fail("the ledger holds another number of messages than it has counted");
    if (!totals.is_exact())
        fail("the ledger does not add up: received " + std::to_string(totals.received) + ", accounted " +
             std::to_string(totals.accounted()));
    route_state end = stop_requested_ ? route_state::stopped : route_state::completed;
    if (failing_) end = route_state::failed;
    set_state(end, {});
    if (failing_) log_.write(log_level::error, definition_.name, {}, "failed: " + snapshot().cause);
    if (on_ended_) on_ended_();
}

}  // namespace mqb::core
