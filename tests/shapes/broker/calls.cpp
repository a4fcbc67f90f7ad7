#include "sending.hpp"
#include "server.hpp"

namespace mqb::shapes::broker {

namespace {

constexpr std::size_t most_held_confirms = 8;
constexpr std::chrono::milliseconds longest_hold{1};

}  // namespace

void server::handle(session& s, std::string_view frame) {
    wire::reader in(frame);
    const auto deliveries = [&in] {
        std::vector<std::uint64_t> all(in.u32());
        for (std::uint64_t& one : all) one = in.u64();
        return all;
    };
    if (in.what() == wire::verb::admin) {
        const std::string said = obey(s, in.text());
        wire::writer out(wire::verb::admin, in.tag());
        s.answer(out.word(wire::answer::ok).text(said));
        return;
    }
    if (in.what() == wire::verb::hello) return hello(s, in);
    if (!s.from) return void(s.breaks = true);
    switch (in.what()) {
        case wire::verb::receive: return receive(s, in);
        case wire::verb::settle: return settle(s, frame);
        case wire::verb::give_back: return s.from->give_back(s.as_holder, deliveries());
        case wire::verb::extend: return s.from->extend(s.as_holder, deliveries());
        case wire::verb::send: return send(s, frame);
        case wire::verb::cancel: return cancel(s, in.tag());
        case wire::verb::lanes_given_up: return end_lanes(*s.from, in.u64());
        default: s.breaks = true;
    }
}

void server::hello(session& s, wire::reader& in) {
    queue& of = queue_named(std::string(in.text()));
    const fault broken = of.broken.next(wire::verb::hello);
    if (broken == fault::mute) return;
    if (broken != fault::none && broken != fault::retry) return void(s.leaves = true);
    wire::writer out(wire::verb::hello, in.tag());
    if (broken == fault::retry) {
        s.answer(out.word(wire::answer::retry).text("the broker takes nobody now"));
        return;
    }
    s.as_holder.how = in.word<wire::mode>();
    of.partition_into(in.u32());
    s.as_holder.lease = std::chrono::milliseconds(in.u32());
    s.flags = in.u8();
    s.from = &of;
    ++of.log.connections;
    s.answer(out.word(wire::answer::ok).text({}));
}

void server::receive(session& s, wire::reader& in) {
    session::receive asked;
    asked.tag = in.tag(), asked.max = in.u32(), asked.max_bytes = in.u64(), asked.drains = in.u8() != 0;
    const bool waits = in.u8() != 0;
    if (s.parked) s.from->log.violation("two receives at once");
    if (s.from->roams > 0 && s.from->broken.random.is(s.from->roams))
        revoke(*s.from, 1, static_cast<std::uint32_t>(s.from->broken.random.below(s.from->roam_ms + 1)));
    const fault broken = s.from->broken.next(wire::verb::receive);
    if (broken == fault::disconnected) return void(s.leaves = true);
    if (broken == fault::lost) {
        wire::writer nobody(wire::verb::receive, 0);
        s.from->deliver(s.as_holder, asked.max, asked.max_bytes, nobody);
        return void(s.leaves = true);
    }
    wire::writer out(wire::verb::receive, asked.tag);
    if (broken == fault::retry) {
        s.answer(out.word(wire::answer::retry).u32(0));
        return;
    }
    asked.is_mute = broken == fault::mute;
    if (!asked.is_mute && give(s, asked)) return;
    if (waits || asked.is_mute) return void(s.parked = asked);
    s.is_hungry = true;
    s.answer(out.word(wire::answer::ok).u32(0));
}

bool server::give(session& s, const session::receive& asked) {
    wire::writer out(wire::verb::receive, asked.tag);
    out.word(wire::answer::ok);
    const std::size_t count = out.later32();
    if (const std::uint32_t n = s.from->deliver(s.as_holder, asked.max, asked.max_bytes, out)) {
        out.set32(count, n);
        s.answer(out);
        return true;
    }
    if (!(asked.drains && s.from->is_empty_for(s.as_holder)) && !(s.has(wire::finite) && s.from->is_finished())) return false;
    wire::writer end(wire::verb::receive, asked.tag);
    s.answer(end.word(wire::answer::end).u32(0));
    return true;
}

void server::settle(session& s, std::string_view frame) {
    wire::reader in(frame);
    const fault broken = s.from->broken.next(wire::verb::settle);
    if (broken == fault::disconnected) return void(s.leaves = true);
    if (broken == fault::mute)
        s.waiting_calls[in.tag()] = {std::string(frame), fault::none, true};
    else
        carry_out_settle(s, in, broken);
}

void server::carry_out_settle(session& s, wire::reader& in, fault broken) {
    struct entry {
        std::uint64_t delivery;
        wire::disposition what;
        std::chrono::nanoseconds delay;
    };
    std::vector<entry> entries(in.u32());
    std::vector<std::uint64_t> deliveries;
    for (entry& e : entries) {
        e.delivery = in.u64(), e.what = in.word<wire::disposition>();
        e.delay = std::chrono::nanoseconds(in.u64());
        in.blob();  // the reply: counted, not kept
        deliveries.push_back(e.delivery);
    }
    const bool is_unit = s.as_holder.how == wire::mode::batch;
    if (is_unit && !s.as_holder.out.empty() && !s.from->is_whole(s.as_holder, deliveries))
        s.from->log.violation("a part of a unit of work was settled");
    const std::uint64_t broken_at = broken == fault::none ? entries.size() : is_unit ? 0 : s.from->broken.random.below(entries.size());
    wire::writer out(wire::verb::settle, in.tag());
    out.word(wire::answer::ok);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i == broken_at && broken == fault::lost) return void(s.leaves = true);
        // What is given back here is gone for who settles it; of a unit all of it.
        if (broken == fault::gone && (i == broken_at || (is_unit && i > broken_at))) s.from->give_back(s.as_holder, {entries[i].delivery});
        const bool fails = i >= broken_at && broken != fault::gone;
        out.word(s.from->settle(s.as_holder, entries[i].delivery, entries[i].what, entries[i].delay, fails));
    }
    s.answer(out);
}

void server::send(session& s, std::string_view frame) {
    const wire::reader in(frame);
    const fault broken = s.from->broken.next(wire::verb::send);
    if (broken == fault::disconnected) return void(s.leaves = true);
    const auto delay = s.from->delay_of_sends;
    if (broken != fault::mute && delay.count() == 0) return finish_send(s, frame, broken);
    s.waiting_calls[in.tag()] = {std::string(frame), broken, broken == fault::mute};
    if (broken == fault::mute) return;
    later(delay, s, [this, tag = in.tag()](session& same) {
        const auto found = same.waiting_calls.find(tag);
        if (found == same.waiting_calls.end()) return;  // cancelled
        const session::waiting call = std::move(found->second);
        same.waiting_calls.erase(found);
        finish_send(same, call.frame, call.broken);
    });
}

void server::finish_send(session& s, std::string_view frame, fault broken) {
    std::optional<std::string> answer = carry_out_send(s, frame, broken);
    if (answer)
        confirm(s, std::move(*answer));
    else
        s.leaves = true;
}

// Pipelined confirms come later, several at once and in another order.
void server::confirm(session& s, std::string answer) {
    if (!s.has(wire::pipelined)) return void(s.to_write += answer);
    if (s.confirms.empty()) later(longest_hold, s, [this](session& same) { give_confirms(same); });
    s.confirms.push_back(std::move(answer));
    if (s.confirms.size() >= most_held_confirms) give_confirms(s);
}

void server::give_confirms(session& s) {
    dice& random = s.from->broken.random;
    for (std::size_t i = s.confirms.size(); i > 1; --i) std::swap(s.confirms[i - 1], s.confirms[random.below(i)]);
    for (const std::string& one : s.confirms) s.to_write += one;
    s.confirms.clear();
}

void server::cancel(session& s, std::uint64_t tag) {
    if (s.parked && s.parked->tag == tag) {
        wire::writer out(wire::verb::receive, tag);
        s.answer(out.word(wire::answer::cancelled).u32(0));
        s.parked.reset();
    } else if (const auto found = s.waiting_calls.find(tag); found != s.waiting_calls.end()) {
        wire::reader in(found->second.frame);
        if (in.what() == wire::verb::settle) {
            carry_out_settle(s, in, fault::none);
        } else {
            s.to_write += refuse_send(s, found->second.frame);
        }
        s.waiting_calls.erase(found);
    }
}

void server::revoke(queue& of, std::uint32_t lanes, std::uint32_t deadline_ms) {
    for (const queue::ending& e : of.begin_to_end(lanes)) {
        session& s = *sessions_.at(e.holder);
        wire::writer out(wire::verb::lanes_ending, 0);
        out.u64(e.token).u32(deadline_ms).u32(static_cast<std::uint32_t>(e.lanes.size()));
        for (const std::uint64_t lane : e.lanes) out.u64(lane);
        s.answer(out);
        later(std::chrono::milliseconds(deadline_ms), s, [this, &of, token = e.token](session&) { end_lanes(of, token); });
    }
}

void server::end_lanes(queue& of, std::uint64_t token) {
    std::map<std::uint32_t, holder*> holders;
    for (const auto& [number, s] : sessions_)
        if (s->from == &of) holders[number] = &s->as_holder;
    const auto who = of.end_lanes(holders, token);
    if (!who) return;
    wire::writer out(wire::verb::lanes_ended, 0);
    sessions_.at(*who)->answer(out.u64(token));
}

}  // namespace mqb::shapes::broker
