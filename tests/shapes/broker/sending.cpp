#include "sending.hpp"

namespace mqb::shapes::broker {

namespace {

letter read_letter(wire::reader& in) {
    letter out;
    out.id = in.raw(16);
    out.lane = in.u64();
    out.payload = in.blob();
    out.metadata = in.text();
    return out;
}

// Whether the lane of this message is closed for it. What comes again opens it.
bool is_closed_for(session& from, const letter& what) {
    const auto closed = from.closed_lanes.find(what.lane);
    if (closed == from.closed_lanes.end()) return false;
    if (closed->second.insert(std::string(what.id)).second) return true;
    from.closed_lanes.erase(closed);
    return false;
}

void close_lane(session& from, const letter& what) {
    if (from.has(wire::ordered_retry)) from.closed_lanes[what.lane].insert(std::string(what.id));
}

wire::sent outcome_of(fault broken) {
    if (broken == fault::rejected) return wire::sent::refused;
    return broken == fault::uncertain ? wire::sent::uncertain : wire::sent::again;
}

const char* word(wire::sent outcome) {
    constexpr const char* words[] = {"unsent", "done", "again", "refused", "uncertain"};
    return words[static_cast<std::size_t>(outcome)];
}

// Takes one message; how many responses it gets.
std::uint32_t take(session& from, const letter& what) {
    queue& to = *from.from;
    if (from.has(wire::idempotent) && to.has_stored(what.id)) {
        ++to.log.repeats;
    } else {
        to.log.note("send", from.as_holder.number, "done", to.store(what));
    }
    if (!from.has(wire::responds)) return 0;
    if (to.responds == "never" && to.responds_left > 0) return --to.responds_left, 0;
    return to.responds == "twice" ? 2 : 1;
}

}  // namespace

std::optional<std::string> carry_out_send(session& from, std::string_view frame, fault broken) {
    wire::reader in(frame);
    queue& to = *from.from;
    const std::uint32_t n = in.u32();
    const std::uint64_t broken_at = broken == fault::none || n == 0 ? n : to.broken.random.below(n);
    wire::writer out(wire::verb::send, in.tag());
    out.word(wire::answer::ok);
    for (std::uint32_t i = 0; i < n; ++i) {
        const letter what = read_letter(in);
        ++to.log.sends;
        wire::sent outcome = wire::sent::done;
        std::uint32_t responses = 0;
        if (is_closed_for(from, what)) {
            outcome = wire::sent::unsent;
        } else if (i == broken_at) {
            if (broken == fault::lost) return {};
            outcome = outcome_of(broken);
            // Of one that is uncertain nobody knows whether it has arrived.
            if (broken == fault::uncertain && to.broken.random.is(0.5)) take(from, what);
            if (outcome != wire::sent::refused) close_lane(from, what);
        } else {
            responses = take(from, what);
        }
        if (outcome != wire::sent::done) to.log.note("send", from.as_holder.number, word(outcome), 0);
        out.word(outcome).u32(responses);
        for (std::uint32_t k = 0; k < responses; ++k) out.text("re:" + std::string(what.payload.value_or("")));
    }
    return out.frame();
}

std::string refuse_send(session& from, std::string_view frame) {
    wire::reader in(frame);
    const std::uint32_t n = in.u32();
    wire::writer out(wire::verb::send, in.tag());
    out.word(wire::answer::cancelled);
    for (std::uint32_t i = 0; i < n; ++i) {
        close_lane(from, read_letter(in));
        out.word(wire::sent::unsent).u32(0);
    }
    return out.frame();
}

}  // namespace mqb::shapes::broker
