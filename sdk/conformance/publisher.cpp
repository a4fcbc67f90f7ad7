#include "publisher.hpp"

#include <cstring>

namespace mqb::conformance {

publisher::publisher(recipe r) : handle(std::move(r), "publisher") {
    require_slot(slots_.send, rules::publisher_slots, "send");
    require_slot(slots_.cancel, rules::publisher_slots, "cancel");
    require_slot(slots_.free, rules::publisher_slots, "free");
}

void publisher::on_answer(mqb_send* send, std::uint32_t index, const mqb_message* response) {
    operation* op = operation::of(send);
    if (!op) return note(rules::struct_owner, "answer was called with a struct that is not the caller's");
    if (op->finished()) return note(rules::answer, "answer came after the answer to the send");
    if (!response) return note(rules::answer, "answer brought no message");
    if (index >= op->entries)
        return note(rules::answer, "answer names message " + std::to_string(index) + " of " + std::to_string(op->entries));
    std::string text =
        response->payload.size ? std::string(reinterpret_cast<const char*>(response->payload.data), response->payload.size) : "";
    std::lock_guard lock(op->guard);
    op->answers.push_back({index, std::move(text)});
}

sending publisher::start_send(const std::vector<letter>& letters, lending how, bool with_answer) {
    const auto n = static_cast<std::uint32_t>(letters.size());
    sending s{&operation::make<mqb_send>(name("send")), std::make_shared<parcel>(letters, how), hostile_list<mqb_outcome>(n), n};
    mqb_send& call = s.op->as<mqb_send>();
    call.messages = s.messages->list();
    call.outcomes = s.outcomes.list();
    call.answer = with_answer ? on_answer : nullptr;
    s.op->entries = n;
    fly(*s.op).start([&] { return slots_.send(self_, &call); }, serial());
    return s;
}

std::vector<mqb_outcome> publisher::finish(sending& s, std::chrono::milliseconds patience) {
    const mqb_status status = s.op->answer(patience);
    std::erase(flying_, s.op);
    require(s.outcomes.tails_intact(), rules::list, "send wrote behind the elements of outcomes");
    std::vector<mqb_outcome> out;
    bool held_up = false;
    const bool handles = as_known(recipe_.factory).kind == MQB_HANDLER;
    for (std::uint32_t i = 0; i < s.count; ++i) {
        const mqb_outcome& o = s.outcomes[i];
        require(o.result >= MQB_UNSENT && o.result <= (handles ? MQB_GIVE_BACK : MQB_UNCERTAIN), rules::send_outcome,
                "send gave message " + std::to_string(i) + " the outcome " + std::to_string(o.result));
        // Behind an entry that is to be sent again, UNSENT may be meant: order is kept so.
        const bool meant = held_up || promises_to(MQB_ORDERED_RETRY);
        require(status != MQB_OK || o.result != MQB_UNSENT || meant, rules::send_outcome,
                "send answered OK and left message " + std::to_string(i) + " UNSENT");
        held_up = held_up || o.result == MQB_AGAIN || o.result == MQB_UNCERTAIN;
        out.push_back(o);
    }
    s.messages->take_back("send");
    checkpoint();
    return out;
}

void publisher::deliver(const std::vector<letter>& letters, lending how) {
    std::vector<letter> left = letters;
    for (int round = 0; round < 100 && !left.empty(); ++round) {
        sending s = start_send(left, how);
        const auto out = finish(s, q().patience * 2);
        std::vector<letter> again;
        for (std::size_t i = 0; i < out.size(); ++i) {
            require(
                out[i].result != MQB_REFUSED && out[i].result != MQB_UNCERTAIN, rules::send,
                "message " + std::to_string(i) + " was " + (out[i].result == MQB_REFUSED ? "REFUSED" : "UNCERTAIN") + ": " + s.op->why());
            if (out[i].result == MQB_AGAIN || out[i].result == MQB_UNSENT) again.push_back(left[i]);
        }
        left = std::move(again);
        if (s.op->status() == MQB_DISCONNECTED) connect();
        if (!left.empty()) std::this_thread::sleep_for(20ms);
        if (round == 99) fail(rules::send, "messages are still not sent after 100 times: " + s.op->why());
    }
}

void publisher::flush() {
    sending s = start_send({});
    finish(s, q().patience * 2);
    require(s.op->status() == MQB_OK, rules::send_empty, "an empty send answered " + s.op->why());
}

operation& start_control_call(const char* what, const std::string& id, const std::string& request) {
    operation& op = operation::make<mqb_control>(what);
    mqb_control& c = op.as<mqb_control>();
    c.id = guarded(id).text();
    c.request = guarded(request).text();
    c.answer = [](mqb_control* control, mqb_text json) {
        operation* self = operation::of(control);
        if (!self) return note(rules::struct_owner, "answer was called with a struct that is not the caller's");
        if (self->finished()) return note(rules::answer, "answer of control came after OK");
        check_text("the answer of control", json);
        std::lock_guard lock(self->guard);
        self->answers.push_back({0, as_string(json)});
        if (self->answers.size() > 1) note(rules::answer, "control answered twice");
    };
    return op;
}
operation& publisher::start_control(const std::string& id, const std::string& request) {
    operation& op = start_control_call(name("control"), id, request);
    fly(op).start([&] { return slots_.control ? slots_.control(self_, &op.as<mqb_control>()) : mqb_status(MQB_UNSUPPORTED); }, serial());
    return op;
}

}  // namespace mqb::conformance
