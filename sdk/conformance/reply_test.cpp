// The cases `reply` and `responds` on an endpoint that asks itself: what its publisher sends is pending until its consumer has settled it.
#include <mqb/conformance/run.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <sstream>
#include <string>

using namespace mqb::conformance;

namespace {

enum class habit { good, drops_reply, replies_twice, changes_reply };
habit how = habit::good;

// All calls come from one thread here: the consumer completes a send while it settles.
std::deque<mqb_send*> asked;
struct given {
    mqb_message message;
    mqb_send* send;
};

mqb_status send(mqb_publisher*, mqb_send* s) {
    if (s->messages.count == 0) return MQB_OK;
    asked.push_back(s);
    return MQB_PENDING;
}
void cancel_send(mqb_publisher*, std::uint64_t) {}  // no case of these leaves one
void free_publisher(mqb_publisher* p) { delete p; }
const mqb_publisher_table publisher_table = {sizeof(mqb_publisher_table), 0, nullptr, send, nullptr, cancel_send, free_publisher};

mqb_status receive(mqb_consumer*, mqb_receive* r) {
    if (asked.empty()) return MQB_END;
    auto* g = new given{*mqb_message_at(&asked.front()->messages, 0), asked.front()};
    asked.pop_front();
    r->messages = mqb_list_of(&g->message, 1, sizeof g->message);
    r->batch = g;
    return MQB_OK;
}
mqb_status settle(mqb_consumer*, mqb_settle* s) {
    mqb_send* request = static_cast<given*>(s->batch)->send;
    const mqb_entry& e = *mqb_entry_at(&s->entries, 0);
    if (e.disposition == MQB_REPLY && how != habit::drops_reply) {
        mqb_message reply = *e.reply;
        if (how == habit::changes_reply) --reply.payload.size;
        for (int i = 0; i < (how == habit::replies_twice ? 2 : 1); ++i) request->answer(request, 0, &reply);
    }
    mqb_outcome_at(&s->outcomes, 0)->result = MQB_SETTLE_OK;
    mqb_outcome_at(&request->outcomes, 0)->result = MQB_DONE;
    request->call.done(&request->call, MQB_OK);
    return MQB_OK;
}
void free_batch(mqb_consumer*, void* batch) { delete static_cast<given*>(batch); }
void cancel_receive(mqb_consumer*, std::uint64_t) {}
void free_consumer(mqb_consumer* c) { delete c; }
const mqb_consumer_table consumer_table = {
    sizeof(mqb_consumer_table), 0, nullptr, receive, settle, free_batch, nullptr, nullptr, nullptr, cancel_receive, free_consumer};

mqb_status promises(mqb_promise* p) {
    const bool consumer = p->side == MQB_SIDE_CONSUMER;
    p->promises->flags = consumer ? MQB_ACKNOWLEDGES : MQB_RESPONDS;
    p->promises->dispositions = consumer ? MQB_BIT(MQB_ACK) | MQB_BIT(MQB_REPLY) : 0;
    return MQB_OK;
}
mqb_status create(mqb_create* c) {
    if (c->side == MQB_SIDE_CONSUMER)
        c->made = new mqb_consumer{&consumer_table};
    else
        c->made = new mqb_publisher{&publisher_table};
    return MQB_OK;
}
const mqb_factory endpoint = {sizeof(mqb_factory),
                              MQB_ENDPOINT,
                              MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER,
                              0,
                              {"asks", 4},
                              {"{\"type\":\"object\"}", 17},
                              promises,
                              create};
const mqb_factory* const factories[] = {&endpoint};
const mqb_plugin plugin = {sizeof(mqb_plugin), MQB_ABI_DRAFT, {"asks", 4}, {"1", 1}, {"MIT", 3}, factories, 1, 0, nullptr};

std::string result_of(habit h) {
    how = h;
    std::ostringstream out;
    options o;
    o.plugin = "linked in";
    o.only = "reply";
    o.to = &out;
    run_linked(&plugin, o);
    return out.str();
}
}  // namespace

TEST_CASE("a reply that arrives at the publisher that asked passes") {
    CHECK(result_of(habit::good).find("pass    asks/reply") != std::string::npos);
}

TEST_CASE("a reply that is lost, doubled or changed on the way is found") {
    CHECK(result_of(habit::drops_reply).find("0 responses came for one reply") != std::string::npos);
    CHECK(result_of(habit::replies_twice).find("2 responses came for one reply") != std::string::npos);
    CHECK(result_of(habit::changes_reply).find("the response is \"reply of the ki\", not the reply") != std::string::npos);
}
