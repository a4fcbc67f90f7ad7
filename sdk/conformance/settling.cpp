// Settling: the consumer's settle calls.
#include "consumer.hpp"

#include <cstring>

namespace mqb::conformance {
namespace {
// A reply on the stack of the kit, without owners; the memory is gone after the answer.
struct reply {
    guarded payload, message;
    reply() : payload(std::string_view(reply_text)), message(sizeof(mqb_message)) {
        mqb_message m{};
        m.payload = {payload.data(), payload.size(), nullptr};
        std::memcpy(message.data(), &m, sizeof m);
    }
    const mqb_message* at() const { return reinterpret_cast<const mqb_message*>(message.data()); }
};
}  // namespace

std::vector<mqb_outcome> settling::result() const {
    std::vector<mqb_outcome> out;
    for (std::uint32_t i = 0; i < outcomes.count(); ++i) out.push_back(outcomes[i]);
    return out;
}

settling consumer::start_settle(const batch& b, const std::vector<wanted>& what) {
    const auto n = static_cast<std::uint32_t>(what.size());
    const guarded reason(std::string_view("the kit said so"));
    settling s{&operation::make<mqb_settle>(name("settle")), hostile_list<mqb_entry>(n), hostile_list<mqb_outcome>(n), {reason}};
    for (std::uint32_t i = 0; i < n; ++i) {
        mqb_entry& e = s.entries[i];
        e.index = what[i].index;
        e.disposition = what[i].disposition;
        e.delay_ns = what[i].delay_ns;
        if (e.disposition == MQB_REPLY || e.disposition == MQB_REPLY_MORE) {
            const reply r;
            e.reply = r.at();
            s.lent.insert(s.lent.end(), {r.payload, r.message});
        }
        if (e.disposition == MQB_NACK || e.disposition == MQB_REJECT) e.reason = reason.text();
    }
    mqb_settle& call = s.op->as<mqb_settle>();
    call.batch = b.token;
    call.entries = s.entries.list();
    call.outcomes = s.outcomes.list();
    s.op->entries = n;
    if (n) s.entries.memory().freeze();
    fly(*s.op).start([&] { return slots_.settle(self_, &call); }, serial());
    return s;
}

std::vector<mqb_outcome> consumer::settle(const batch& b, const std::vector<wanted>& what) {
    settling s = start_settle(b, what);
    s.op->answer(q().patience);
    std::erase(flying_, s.op);
    require(s.outcomes.tails_intact(), rules::list, "settle wrote behind the elements of outcomes");
    auto out = s.result();
    for (const guarded& g : s.lent) g.destroy();  // whoever kept a reply or a reason faults on it
    if (!what.empty()) s.entries.memory().destroy();
    for (std::size_t i = 0; i < out.size(); ++i)
        require(out[i].result >= MQB_SETTLE_RETRY && out[i].result <= MQB_SETTLE_GONE, rules::settle_outcome,
                "settle gave entry " + std::to_string(i) + " the outcome " + std::to_string(out[i].result));
    if (promises_.settle_unit == MQB_UNIT_BATCH && is_middleware() == false)
        for (const mqb_outcome& o : out)
            require(o.result == out[0].result, rules::settle, "a BATCH consumer gave different outcomes in one call");
    checkpoint();
    return out;
}

void consumer::settle_until_final(const batch& b, std::vector<wanted> left) {
    for (int round = 0; round < 50 && !left.empty(); ++round) {
        const auto out = settle(b, left);
        std::vector<wanted> again;
        for (std::size_t i = 0; i < out.size(); ++i) {
            require(out[i].result != MQB_SETTLE_GONE, rules::settle_outcome, "settle answered GONE for a message that was just received");
            if (out[i].result == MQB_SETTLE_RETRY)
                again.push_back(left[i]);
            else if (promises_.settle_unit == MQB_UNIT_PREFIX)
                for (const wanted& w : again)
                    require(b.messages[w.index].what.lane != b.messages[left[i].index].what.lane, rules::settle,
                            "a PREFIX consumer recorded an entry behind one that is not OK in the same lane");
        }
        left = std::move(again);
        if (!left.empty()) std::this_thread::sleep_for(20ms);
    }
    require(left.empty(), rules::settle_outcome,
            "settle left entry " + std::to_string(left.empty() ? 0 : left[0].index) + " at RETRY for ever");
}

void consumer::settle_all(const batch& b, std::int32_t disposition) {
    if (!slots_.settle) return;
    std::vector<wanted> all;
    for (std::uint32_t i = 0; i < b.size(); ++i) all.push_back({i, disposition});
    settle_until_final(b, all);
}

}  // namespace mqb::conformance
