#include "tests/shapes/sink.hpp"

#include <cstring>
#include <string>

namespace mqb::shapes {

using core::promises;
using core::send_result;
using core::status;

std::vector<sink_shape> all_sinks(answers how) {
    std::vector<sink_shape> all(5);
    all[0] = {.name = "pipelined", .flags = promises::concurrent};
    all[1] = {.name = "ordered", .flags = promises::ordered};
    all[2] = {.name = "ordered-retry", .flags = promises::ordered | promises::ordered_retry};
    all[3] = {.name = "idempotent", .flags = promises::idempotent | promises::concurrent};
    all[4] = {.name = "responding", .flags = promises::responds | promises::concurrent};
    for (auto& s : all) s.how = how;
    return all;
}

sink_shape sink_named(std::string_view name, answers how) {
    for (auto& s : all_sinks(how))
        if (s.name == name) return s;
    std::abort();
}

identity identity_of(const core::message& m) {
    identity id;
    std::memcpy(&id.first, m.id.data(), 4);
    std::memcpy(&id.second, m.id.data() + 4, 4);
    return id;
}

sink::sink(surroundings around, sink_shape shape, sink_store& store)
    : fake_endpoint(std::move(around), shape.how), shape_(std::move(shape)), store_(store) {
    if (around_.on_made) around_.on_made(this);
}

status sink::send(core::send_call& c) {
    // Several in flight only where that is promised; one empty send beside the window of the route.
    const std::size_t allowed = shape_.has(promises::concurrent | promises::ordered_retry) ? shape_.send_window : 0;
    around_.log.expect(in_flight(verb::send) + in_flight(verb::flush) <= allowed, "more sends in flight than promised");
    around_.log.expect(c.messages.count == c.outcomes.count, "a send with a wrong number of outcomes");
    for (std::uint32_t k = 0; k < c.outcomes.count; ++k) around_.log.expect(c.outcomes[k].result == 0, "an outcome that was not zeroed");
    return start(c.messages.empty() ? verb::flush : verb::send, c, c.messages.count);
}

void sink::begun(operation& op) {
    if (op.kind == verb::send && is_in_order() && connected_) decide(op);
}

status sink::carry_out(operation& op) {
    auto& c = static_cast<core::send_call&>(*op.what);
    if (op.decided.empty()) decide(op);
    std::erase_if(blocked_, [&](const auto& b) { return b.second == &op; });
    for (std::uint32_t k = 0; k < op.decided.size(); ++k) {
        // What the other side has taken, but could not confirm any more.
        if (!connected_ && op.decided[k].sent() == send_result::done && chance(0.5)) op.decided[k].set(send_result::uncertain);
        c.outcomes[k] = op.decided[k];
        if (op.decided[k].sent() == send_result::done) respond(c, k);
        if (op.wrong && op.decided[k].sent() != send_result::done) c.texts.set(k, op.wrong->text);
    }
    if (!connected_) return status::disconnected;
    if (op.cancelled && op.wrong == std::nullopt && chance(0.5)) return status::cancelled;
    return op.wrong ? op.wrong->status : status::ok;
}

// What becomes of each message, and its arrival.
void sink::decide(operation& op) {
    const auto& c = static_cast<core::send_call&>(*op.what);
    op.decided.assign(c.messages.count, {});
    bool cut_off = false;  // the connection ended, or the caller did not want to wait, in the middle of this send
    for (std::uint32_t k = 0; k < c.messages.count; ++k) {
        if ((!connected_ || op.cancelled) && chance(0.3)) cut_off = true;
        const core::message& m = c.messages[k];
        send_result r = decide_one(op, k, cut_off);
        const bool is_ordered_retry = shape_.has(promises::ordered_retry);
        if (is_ordered_retry && blocked_.contains(m.lane)) r = send_result::unsent;
        if (is_ordered_retry && r != send_result::done && r != send_result::refused) blocked_.emplace(m.lane, &op);
        const bool arrived = r == send_result::done || (r == send_result::uncertain && chance(0.5));
        if (arrived) arrive(m);
        op.decided[k].set(r);
        if (r == send_result::again && k % 2) op.decided[k].number = 1'000'000;
    }
}

send_result sink::decide_one(const operation& op, std::uint32_t k, bool cut_off) {
    if (op.wrong && op.wrong->names(k)) return static_cast<send_result>(*op.wrong->result);
    if (op.wrong && op.wrong->status != status::ok) return send_result::unsent;
    if (cut_off) return chance(0.5) ? send_result::uncertain : send_result::unsent;
    return send_result::done;
}

void sink::arrive(const core::message& m) {
    const identity id = identity_of(m);
    if (shape_.has(promises::idempotent) && store_.has(id)) return;
    store_.take(id);
}

void sink::respond(core::send_call& c, std::uint32_t k) {
    if (!shape_.has(promises::responds) || !c.answer) return;
    const identity id = identity_of(c.messages[k]);
    for (std::uint32_t n = 0; n < shape_.responses; ++n) {
        const std::string text = "re:" + std::to_string(id.first) + "/" + std::to_string(id.second) + (n ? " again" : "");
        core::message response;
        response.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
        c.answer(c, k, response);
    }
}

}  // namespace mqb::shapes
