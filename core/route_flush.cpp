// route_flush: empty sends, and what it means when one fails. What an output holds back behind DONE is acknowledged already: if it
// cannot be finished, it may be lost, and the route says so.
#include "core/running_route.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {
constexpr std::uint64_t first_pause_ns = 50'000'000, longest_pause_ns = 1'000'000'000;
}

void running_route::set_up_flush(flushing& f, publisher& to, const char* path) {
    f.self = this;
    f.to = &to;
    f.path = path;
    f.done = [](call& c, status answer) noexcept {
        auto& ended = static_cast<flushing&>(c);
        ended.self->flushed(ended, answer);
    };
}

// Whoever holds messages back ends that now: nothing more comes for the time being.
bool running_route::is_flushing() const noexcept {
    return input_ended_ || waits_for_empty_ || stopping_ || paused_ || input_->book->leaf_is_at_end();
}

bool running_route::is_flush_pending() const noexcept {
    return dead_flush_.pending || std::ranges::any_of(slots_, [](const route_slot& s) { return s.flush.pending; });
}

void running_route::flush(flushing& f) {
    if (f.pending) return;
    f.holds = f.is_new = false;
    f.messages = {};
    f.outcomes = {};
    f.texts.clear();
    f.pending = true;
    const status answer = f.to->send(f);
    if (answer != status::pending) flushed(f, answer);
}

void running_route::flushed(flushing& f, status answer) {
    f.pending = false;
    f.answer = answer;
    if (answer == status::ok || answer == status::unsupported || answer == status::end) return;
    f.holds = true;
    if (answer != status::bad_config) return;
    const auto text = f.texts.best(whole_call);
    fail(std::string{f.path} + ": " + (text.empty() ? "cannot finish what it holds" : std::string{text}));
}

// The last empty sends: again and again until the first deadline, unless the answer is that it can never be.
boost::asio::awaitable<void> running_route::finish(std::vector<flushing*> all) {
    const auto is_unfinished = [this](const flushing* f) {
        return f->holds && f->answer != status::bad_config && f->answer != status::rejected && can_answer(*f);
    };
    for (flushing* f : all) f->answer = status::pending;
    backoff pauses{first_pause_ns, longest_pause_ns};
    while (!is_late_ && std::ranges::any_of(all, is_unfinished)) {
        for (flushing* f : all)
            if (is_unfinished(f)) flush(*f);
        while (!is_too_late_ && is_flush_pending()) co_await until_mail();
        if (is_late_ || std::ranges::none_of(all, is_unfinished)) break;
        poll_after(std::chrono::nanoseconds{pauses.next()});
        while (poll_.pending && !is_late_) co_await until_mail();
        if (poll_.pending) clock_.cancel(poll_);
    }
    for (const flushing* f : all) {
        if (!f->holds || f->pending) continue;
        const auto text = f->answer == status::pending ? "the time was over" : f->texts.best(whole_call);
        const std::string why = "could not finish what it holds: " + std::string{text.empty() ? to_text(f->answer) : text};
        if (f->answer != status::pending && can_answer(*f))
            fail(std::string{f->path} + ": " + why);
        else
            log_.write(log_level::warning, definition_.name, f->path, why);
    }
}

// Whose connection was lost could not be asked; most have nothing to answer. An outage at the end is no failure by itself.
bool running_route::can_answer(const flushing& f) const {
    if (f.answer != status::cancelled) return true;
    return links_.are_connected() && (&f == &dead_flush_ || output_->link->is_connected());
}

}  // namespace mqb::core
