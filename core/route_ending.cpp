// route_ending: how a route comes to rest, closes what it has made, and says what became of everything.
#include "core/running_route.hpp"

#include <exception>
#include <utility>

namespace mqb::core {

// Waits for the outcome of everything that is in flight. False: something did not come back in time.
boost::asio::awaitable<bool> running_route::come_to_rest() {
    set_deadline();
    stopping_ = true;
    input_->book->stop_presenting();
    answer_lag(std::nullopt);
    if (startup_.pending) clock_.cancel(startup_);
    while (!is_too_late_ && (receive_.pending || under_way_ != 0 || !ready_.empty() || queued_ != 0 || is_flush_pending())) {
        send_next();
        if (go_on_.empty() && (under_way_ != 0 || receive_.pending || is_flush_pending())) co_await until_mail();
    }
    if (!is_too_late_) {
        std::vector<flushing*> outputs;
        for (route_slot& s : slots_) outputs.push_back(&s.flush);
        auto finishing = finish(std::move(outputs));
        co_await std::move(finishing);
        input_->book->return_waiting();
    }
    while (!is_late_ && input_->book->unrecorded() != 0 && !input_->link->has_given_up()) co_await until_mail();
    if (!is_too_late_) {
        auto finishing = finish({&dead_flush_});
        co_await std::move(finishing);
    }
    input_->book->give_up();
    if (poll_.pending) clock_.cancel(poll_);
    auto telling = tell_of_end();
    co_await std::move(telling);
    stop_links();
    while (!is_too_late_ && !is_at_rest()) co_await until_mail();
    update_bytes();
    if (!is_at_rest()) {
        fail("a plugin call did not come back within the shutdown timeout");
        co_return false;
    }
    co_return true;
}

// An output that leaves a mark where everything has arrived hears whether it has; most do not care.
boost::asio::awaitable<void> running_route::tell_of_end() {
    if (!input_ended_ || stop_requested_ || failing_ || is_late_) co_return;
    last_word_.id = "input.ended";
    last_word_.request = "{}";
    last_word_.done = [](call& c, status came) noexcept { static_cast<last_word&>(c).came = came; };
    last_word_.came = output_->link->control(last_word_);
    while (last_word_.came == status::pending && !is_too_late_) co_await until_mail();
    const status came = last_word_.came;
    if (came == status::pending || came == status::ok || came == status::unsupported) co_return;
    const auto text = last_word_.texts.best(whole_call);
    log_.write(log_level::warning, definition_.name, definition_.output.path,
               "did not take the end of its input: " + std::string{text.empty() ? to_text(came) : text});
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
        if (closed) closed = co_await close_workers();
        while (closed && !output_->middlewares.empty()) {
            closed = co_await close_one(nullptr, output_->middlewares.back().get(), definition_.output.path);
            if (closed) output_->middlewares.pop_back();
        }
        if (closed) closed = co_await close_one(nullptr, output_->link.get(), definition_.output.path);
    }
    if (closed && dead_target_) closed = co_await close_one(nullptr, dead_target_.get(), dead_letters_path);
    for (route_timer* t : {&deadline_, &startup_})
        if (t->pending) clock_.cancel(*t);
    while (deadline_.pending || startup_.pending) co_await until_mail();
    while (box_.deliver_all()) {}
    co_return closed;
}

boost::asio::awaitable<bool> running_route::close_workers() {
    for (route_slot& s : slots_) {
        if (!s.worker || !s.worker->is_started()) continue;
        const bool closed = co_await close_worker(*s.worker, unused::no);
        if (!closed) co_return false;
    }
    co_return true;
}

boost::asio::awaitable<bool> running_route::close_worker(route_worker& w, unused is_unused) {
    const bool closed = co_await close_one(nullptr, &w.top(), definition_.output.path, is_unused);
    if (!closed) co_return false;
    w.stop();
    while (!w.has_ended()) co_await until_mail();
    co_return true;
}

// A close that fails changes nothing: what it was for is as good as gone, and what was settled stays settled.
boost::asio::awaitable<bool> running_route::close_one(consumer* c, publisher* p, const std::string& path, unused is_unused) {
    auto closing = std::make_unique<awaited>();
    closing->ends_with(c ? c->close(*closing) : p->close(*closing));
    while (!closing->ended && !is_too_late_) {
        if (is_unused == unused::no || stop_requested_ || failing_) set_deadline();
        co_await until_mail();
    }
    if (closing->ended) {
        tell_of_close(closing->answer, closing->texts, path);
        co_return true;
    }
    fail(path + ": free did not return within the shutdown timeout");
    (void)closing.release();  // the plugin may still come back to it
    co_return false;
}

void running_route::tell_of_close(status answer, const explanations& texts, const std::string& path) {
    if (answer == status::ok || answer == status::unsupported) return;
    const auto text = texts.best(whole_call);
    log_.write(log_level::warning, definition_.name, path, "close failed: " + std::string{text.empty() ? to_text(answer) : text});
}

// Something of this route is still inside a plugin: nothing of it may ever be destroyed. What can end of it ends.
void running_route::leave_behind() {
    for (route_slot& s : slots_)
        if (s.worker) s.worker->stop();
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
    has_finished_ = true;
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
