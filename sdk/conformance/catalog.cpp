#include "catalog.hpp"

namespace mqb::conformance {
namespace {
constexpr unsigned any_factory = about_factory;
constexpr unsigned consumers = about_consumer, publishers = about_publisher;

#define MQB_CASE(name, about, what) \
    { case_id::name, #name, what, about, cases::name }
const test_case all[] = {
    MQB_CASE(load, about_library, "the library loads, has its symbol, and runs nothing while being looked at"),
    MQB_CASE(exported_symbols, about_library, "only mqb_plugin_v1 is exported"),
    MQB_CASE(descriptor, about_library, "draft, sizes, names, licence and factories are in order"),
    MQB_CASE(schema, any_factory, "the schema is a consistent JSON Schema of an object"),
    MQB_CASE(promises_pure, any_factory, "promises answers the same twice and fits together"),
    MQB_CASE(create, any_factory, "create with a good configuration: quiet, no thread, required slots"),
    MQB_CASE(create_garbage, any_factory, "create with damaged configurations refuses or survives"),
    MQB_CASE(create_free_leaks, any_factory, "200 times create and free: no thread, descriptor or much memory is left"),
    MQB_CASE(connect, consumers | publishers, "connect answers OK, and free follows at once"),
    MQB_CASE(control_unknown, consumers | publishers, "an unknown control id answers UNSUPPORTED"),
    MQB_CASE(cancel_unknown, consumers | publishers, "cancel of an unknown operation is ignored"),
    MQB_CASE(receive, consumers, "messages arrive, well formed"),
    MQB_CASE(receive_limits, consumers, "max_messages and max_bytes are kept"),
    MQB_CASE(receive_cancel, consumers, "receive cancelled at random moments: nothing lost, nothing twice, one completion"),
    MQB_CASE(receive_then_free, consumers, "free with a receive in flight, after cancel and completion: silence follows"),
    MQB_CASE(drain_end, consumers, "with drain, receive answers END when nothing is there"),
    MQB_CASE(finite_end, consumers, "END comes by itself where FINITE is promised"),
    MQB_CASE(payload_outlives, consumers, "a retained payload outlives its batch and its consumer"),
    MQB_CASE(settle_dispositions, consumers, "every declared disposition is accepted and recorded"),
    MQB_CASE(settle_parts, consumers, "what was settled stays settled, the rest of the batch comes again"),
    MQB_CASE(settle_beside_receive, consumers, "settle while a receive is pending"),
    MQB_CASE(nack_delay, consumers, "NACK delivers again, not before its delay"),
    MQB_CASE(reply_more, consumers, "REPLY_MORE beside settles"),
    MQB_CASE(free_unsettled, consumers, "a batch freed unsettled comes again"),
    MQB_CASE(free_lanes, consumers, "a batch of two lanes freed unsettled comes again whole"),
    MQB_CASE(stable_identity, consumers, "a message that comes again has the same id"),
    MQB_CASE(max_unsettled, consumers, "receiving up to max_unsettled works"),
    MQB_CASE(settle_prefix, consumers, "PREFIX: several calls for a batch, and a lane is dead behind what was freed unsettled"),
    MQB_CASE(settle_batch, consumers, "BATCH: one call and one outcome, and what was freed unsettled comes again whole"),
    MQB_CASE(reply, consumers, "a REPLY arrives at the publisher that asked"),
    MQB_CASE(lanes_ending, consumers, "lanes that end: nothing more of them is given, settles are served, lanes_done, then LANES_ENDED"),
    MQB_CASE(lanes_deadline, consumers, "lanes whose deadline passes: LANES_ENDED, later settles are GONE, the rest comes under new lanes"),
    MQB_CASE(send, publishers, "every message of a send gets its outcome"),
    MQB_CASE(send_borrowed, publishers, "payloads without owner on memory that is gone after the answer"),
    MQB_CASE(send_empty, publishers, "an empty send finishes what is held"),
    MQB_CASE(send_cancel, publishers, "cancelled sends end soon, and their outcomes are true"),
    MQB_CASE(send_concurrent, publishers, "several sends in flight, where CONCURRENT is promised"),
    MQB_CASE(send_then_free, publishers, "free after sends that were cancelled: silence follows"),
    MQB_CASE(owners_balanced, publishers, "every retain of a payload's owner has its release"),
    MQB_CASE(round_trip, consumers, "what is published is received: text and any bytes, and ids"),
    MQB_CASE(round_trip_null, consumers, "null and empty payloads"),
    MQB_CASE(round_trip_large, consumers, "a payload of 1 MiB"),
    MQB_CASE(round_trip_metadata, consumers, "typed, binary and repeated metadata"),
    MQB_CASE(ordered, consumers, "messages arrive in the order in which their sends were started"),
    MQB_CASE(idempotent, consumers, "the same messages sent again have no further effect, where IDEMPOTENT is promised"),
    MQB_CASE(responds, publishers, "a response comes through answer, where RESPONDS is promised"),
    MQB_CASE(reconnect, consumers | publishers, "connect on the same handle after DISCONNECTED, with batches from before"),
    MQB_CASE(ordered_retry, publishers, "behind a refused message its lane comes back UNSENT, where ORDERED_RETRY is promised"),
    MQB_CASE(transactional, publishers, "a send with a refused message is not done at all, where TRANSACTIONAL is promised"),
    MQB_CASE(unprovable_promises, consumers | publishers, "promises that this kit cannot prove are named"),
    MQB_CASE(middleware_consumer, about_middleware,
             "a consumer middleware gives on messages and settles, over an inner side that is done or pending"),
    MQB_CASE(middleware_publisher, about_middleware, "a publisher middleware sends on, over an inner side that is done or pending"),
    MQB_CASE(middleware_cancel, about_middleware, "a receive through a middleware is cancelled: nothing lost, nothing twice"),
    MQB_CASE(middleware_free, about_middleware, "batches freed through a middleware are freed below, before or at its free"),
    MQB_CASE(handler, about_handler, "a handler gives every message an outcome"),
    MQB_CASE(handler_borrowed, about_handler, "a handler given payloads on memory that is gone after the answer"),
    MQB_CASE(store_values, about_store, "put, get and delete"),
    MQB_CASE(store_conditions, about_store, "IF_ABSENT and IF_VERSION"),
    MQB_CASE(store_expiry, about_store, "expiry and renewal"),
    MQB_CASE(store_scan, about_store, "a scan by prefix, in order, with limit and continuation"),
    MQB_CASE(nested_children, any_factory, "messages pass the nested endpoints of a configuration, and nothing of them is left"),
};
#undef MQB_CASE
}  // namespace

std::span<const test_case> catalog() { return all; }

const test_case* find_case(std::string_view name) {
    for (const test_case& c : all)
        if (name == c.name) return &c;
    return nullptr;
}

bool applies(const test_case& c, const subject& s) {
    if (c.about & about_factory) return true;
    switch (s.kind) {
        case MQB_ENDPOINT:
            return ((c.about & about_consumer) && (s.sides & MQB_SIDE_CONSUMER)) ||
                   ((c.about & about_publisher) && (s.sides & MQB_SIDE_PUBLISHER));
        case MQB_MIDDLEWARE: return (c.about & about_middleware) != 0;
        case MQB_HANDLER: return (c.about & about_handler) != 0;
        case MQB_STORE: return (c.about & about_store) != 0;
        default: return false;
    }
}

std::string catalog_as_table() {
    std::string out = "| Case | What it shows |\n|---|---|\n";
    for (const test_case& c : all) out += std::string("| `") + c.name + "` | " + c.what + " |\n";
    return out;
}

}  // namespace mqb::conformance
