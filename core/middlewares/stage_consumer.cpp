#include "core/middlewares/stage_consumer.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mqb::core {

namespace {

// Batches of which nothing is left, before the route gets its turn.
constexpr int most_in_a_row = 16;

// Batches whose own settlements a middleware below has not answered, while more is read.
constexpr int most_unanswered = 4;

constexpr std::string_view filtered = "filtered", discarded = "discarded";

text_view view_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

stage_consumer::stage_consumer(consumer& inner, std::unique_ptr<message_stage> stage, mailbox& box, stage_log log)
    : inner_(inner), stage_(std::move(stage)), box_(box), log_(std::move(log)) {
    below_.self = this;
    below_.done = [](call& c, status answer) noexcept {
        stage_consumer& self = *static_cast<inner_receive&>(c).self;
        answer = self.after(answer);
        if (answer != status::pending) self.finish(answer);
    };
    again_.self = this;
    again_.deliver = [](mail& m) noexcept {
        auto& turn = static_cast<another_turn&>(m);
        turn.is_posted = false;
        const status answer = turn.self->below_.is_cancelled ? status::cancelled : turn.self->read();
        if (answer != status::pending) turn.self->finish(answer);
    };
}

status stage_consumer::receive(receive_call& c) {
    below_.upper = &c;
    below_.is_cancelled = false;
    c.messages = {};
    c.batch = nullptr;
    const status answer = read();
    if (answer != status::pending) below_.upper = nullptr;
    return answer;
}

status stage_consumer::read() {
    const receive_call& upper = *below_.upper;
    for (int n = 0; n < most_in_a_row; ++n) {
        below_.max_messages = upper.max_messages;
        below_.max_bytes = upper.max_bytes;
        below_.drain = upper.drain;
        below_.messages = {};
        below_.batch = nullptr;
        below_.texts.clear();
        const status answer = inner_.receive(below_);
        if (answer == status::pending || took(answer)) return answer;
        waits_ = waits_for_settles();
        if (waits_) return status::pending;
    }
    again_.is_posted = true;
    box_.put(again_);
    return status::pending;
}

// A source may answer a cancelled receive with what it had taken; where nothing of that is left, it ends here.
status stage_consumer::after(status answer) {
    if (took(answer)) return answer;
    if (below_.is_cancelled) return status::cancelled;
    waits_ = waits_for_settles();
    return waits_ ? status::pending : read();
}

bool stage_consumer::waits_for_settles() const noexcept {
    return std::ranges::count_if(batches_, [](const auto& h) { return h->own.is_pending; }) >= most_unanswered;
}

bool stage_consumer::took(status answer) {
    receive_call& upper = *below_.upper;
    std::swap(upper.texts, below_.texts);
    if (answer != status::ok || !below_.batch) return true;
    held_batch& h = hold(below_.batch);
    h.messages.apply(*stage_, log_.name(), below_.messages);
    log_.tell_warning(h.messages);
    const bool is_left = !h.messages.messages().empty();
    if (is_left) {
        upper.messages = h.messages.messages();
        upper.batch = &h;
    }
    h.is_freed = !is_left;
    settle_removed(h);
    return is_left;
}

void stage_consumer::finish(status answer) {
    receive_call& upper = *std::exchange(below_.upper, nullptr);
    upper.done(upper, answer);
}

stage_consumer::held_batch& stage_consumer::hold(void* batch) {
    auto at = std::ranges::find(batches_, nullptr, &held_batch::batch);
    if (at == batches_.end()) {
        at = batches_.insert(at, std::make_unique<held_batch>());
        held_batch& made = **at;
        made.self = this;
        made.own.of = &made;
        made.own.done = [](call& c, status answer) noexcept {
            held_batch& h = *static_cast<own_settle&>(c).of;
            h.self->settled_removed(h, answer);
        };
    }
    (*at)->batch = batch;
    return **at;
}

stage_consumer::held_batch* stage_consumer::known(void* batch) noexcept {
    const auto at = std::ranges::find_if(batches_, [&](const auto& h) { return h.get() == batch && h->batch && !h->is_freed; });
    return at == batches_.end() ? nullptr : at->get();
}

void stage_consumer::settle_removed(held_batch& h) {
    const auto& removed = h.messages.removed();
    if (!removed.empty()) {
        log_.tell_of_discarded(h.messages);
        own_settle& own = h.own;
        own.what.clear();
        for (const auto& m : removed) {
            settle_entry& e = own.what.emplace_back();
            e.index = m.index;
            e.what = m.what == staged::refused ? disposition::reject : disposition::ack;
            e.reason = view_of(m.what == staged::refused ? std::string_view{m.why} : m.what == staged::filtered ? filtered : discarded);
        }
        own.came.assign(own.what.size(), outcome{});
        own.batch = h.batch;
        own.entries = list<const settle_entry>{std::span<const settle_entry>{own.what}};
        own.outcomes = list<outcome>{own.came};
        own.texts.clear();
        own.is_pending = true;
        const status answer = inner_.settle(own);
        if (answer != status::pending) return settled_removed(h, answer);
    }
    release_if_done(h);
}

// What was not accepted comes again from the source, as after every settlement of a route.
void stage_consumer::settled_removed(held_batch& h, status answer) {
    h.own.is_pending = false;
    const bool is_accepted =
        answer == status::ok && std::ranges::all_of(h.own.came, [](const outcome& o) { return o.settled() == settle_result::ok; });
    if (!is_accepted) log_.warn("a settlement was not accepted");
    release_if_done(h);
    if (!waits_ || waits_for_settles()) return;
    waits_ = false;
    again_.is_posted = true;
    box_.put(again_);
}

void stage_consumer::release_if_done(held_batch& h) {
    if (!h.is_freed || h.own.is_pending || !h.batch) return;
    h.messages.clear();
    inner_.free_batch(std::exchange(h.batch, nullptr));
    if (!closing_ || std::ranges::any_of(batches_, [](const auto& one) { return one->batch != nullptr; })) return;
    call& c = *std::exchange(closing_, nullptr);
    c.done(c, status::ok);
}

status stage_consumer::settle(settle_call& c) {
    const held_batch* h = known(c.batch);
    if (!h) return status::rejected;
    passed_settle& s = take_settle();
    s.upper = &c;
    s.batch = h->batch;
    s.entries = c.entries;
    s.outcomes = c.outcomes;
    s.texts.clear();
    if (!h->messages.removed().empty()) {
        s.renumbered.clear();
        for (std::uint32_t i = 0; i < c.entries.count; ++i) {
            settle_entry e = c.entries.copy(i);
            const bool is_one = e.index < h->messages.messages().count;
            e.index = is_one ? h->messages.index_of(e.index) : UINT32_MAX;
            s.renumbered.push_back(e);
        }
        s.entries = list<const settle_entry>{std::span<const settle_entry>{s.renumbered}};
    }
    const status answer = inner_.settle(s);
    if (answer != status::pending) give_back(s, c);
    return answer;
}

stage_consumer::passed_settle& stage_consumer::take_settle() {
    const auto at = std::ranges::find_if(settles_, [](const auto& s) { return s->upper == nullptr; });
    if (at != settles_.end()) return **at;
    passed_settle& made = *settles_.emplace_back(std::make_unique<passed_settle>());
    made.self = this;
    made.done = [](call& c, status answer) noexcept {
        auto& s = static_cast<passed_settle&>(c);
        settle_call& upper = *s.upper;
        s.self->give_back(s, upper);
        upper.done(upper, answer);
    };
    return made;
}

void stage_consumer::give_back(passed_settle& s, settle_call& upper) {
    std::swap(upper.texts, s.texts);
    s.upper = nullptr;
}

void stage_consumer::free_batch(void* batch) {
    held_batch* h = known(batch);
    if (!h) return;
    h->is_freed = true;
    release_if_done(*h);
}

void stage_consumer::cancel(call& c) {
    if (&c == closing_) {
        for (const auto& h : batches_)
            if (h->own.is_pending) inner_.cancel(h->own);
        return;
    }
    if (&c != below_.upper) {
        const auto at = std::ranges::find_if(settles_, [&](const auto& s) { return s->upper == &c; });
        return inner_.cancel(at == settles_.end() ? c : **at);
    }
    below_.is_cancelled = true;
    if (waits_) {
        waits_ = false;
        again_.is_posted = true;
        box_.put(again_);
    } else if (!again_.is_posted) {
        inner_.cancel(below_);
    }
}

status stage_consumer::close(call& c) {
    if (std::ranges::none_of(batches_, [](const auto& h) { return h->batch != nullptr; })) return status::ok;
    closing_ = &c;
    return status::pending;
}

}  // namespace mqb::core
