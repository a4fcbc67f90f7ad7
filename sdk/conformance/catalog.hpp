// Catalog: every case, by enumerator, name and one line; the order is the order in which they run.
#pragma once
#include "stage.hpp"

#include <span>

namespace mqb::conformance {

// What a case is about. A case runs for a factory that has one of its bits.
enum about : unsigned {
    about_library = 1,
    about_factory = 2,
    about_consumer = 4,
    about_publisher = 8,
    about_middleware = 16,
    about_handler = 32,
    about_store = 64
};

enum class case_id {
    load,
    exported_symbols,
    descriptor,
    schema,
    promises_pure,
    create,
    create_garbage,
    create_free_leaks,
    connect,
    control_unknown,
    cancel_unknown,
    receive,
    receive_limits,
    receive_cancel,
    receive_then_free,
    drain_end,
    finite_end,
    payload_outlives,
    settle_dispositions,
    settle_parts,
    settle_beside_receive,
    nack_delay,
    reply_more,
    free_unsettled,
    free_lanes,
    stable_identity,
    max_unsettled,
    settle_prefix,
    settle_batch,
    reply,
    lanes_ending,
    lanes_deadline,
    send,
    send_borrowed,
    send_empty,
    send_cancel,
    send_concurrent,
    send_then_free,
    owners_balanced,
    round_trip,
    round_trip_null,
    round_trip_large,
    round_trip_metadata,
    ordered,
    idempotent,
    responds,
    reconnect,
    ordered_retry,
    transactional,
    unprovable_promises,
    middleware_consumer,
    middleware_publisher,
    middleware_cancel,
    middleware_free,
    handler,
    handler_borrowed,
    store_values,
    store_conditions,
    store_expiry,
    store_scan,
    nested_children,
};

struct test_case {
    case_id id;
    const char* name;
    const char* what;
    unsigned about;
    void (*body)(stage&);
};

std::span<const test_case> catalog();
const test_case* find_case(std::string_view name);
bool applies(const test_case&, const subject&);
std::string catalog_as_table();

// The bodies, one file per theme in cases/.
namespace cases {
void load(stage&);
void exported_symbols(stage&);
void descriptor(stage&);
void schema(stage&);
void promises_pure(stage&);
void create(stage&);
void create_garbage(stage&);
void create_free_leaks(stage&);
void connect(stage&);
void control_unknown(stage&);
void cancel_unknown(stage&);
void receive(stage&);
void receive_limits(stage&);
void receive_cancel(stage&);
void receive_then_free(stage&);
void drain_end(stage&);
void finite_end(stage&);
void payload_outlives(stage&);
void settle_dispositions(stage&);
void settle_parts(stage&);
void settle_beside_receive(stage&);
void nack_delay(stage&);
void reply_more(stage&);
void free_unsettled(stage&);
void free_lanes(stage&);
void stable_identity(stage&);
void max_unsettled(stage&);
void settle_prefix(stage&);
void settle_batch(stage&);
void reply(stage&);
void lanes_ending(stage&);
void lanes_deadline(stage&);
void send(stage&);
void send_borrowed(stage&);
void send_empty(stage&);
void send_cancel(stage&);
void send_concurrent(stage&);
void send_then_free(stage&);
void owners_balanced(stage&);
void round_trip(stage&);
void round_trip_null(stage&);
void round_trip_large(stage&);
void round_trip_metadata(stage&);
void ordered(stage&);
void idempotent(stage&);
void responds(stage&);
void reconnect(stage&);
void ordered_retry(stage&);
void transactional(stage&);
void unprovable_promises(stage&);
void middleware_consumer(stage&);
void middleware_publisher(stage&);
void middleware_cancel(stage&);
void middleware_free(stage&);
void handler(stage&);
void handler_borrowed(stage&);
void store_values(stage&);
void store_conditions(stage&);
void store_expiry(stage&);
void store_scan(stage&);
void nested_children(stage&);
}  // namespace cases

}  // namespace mqb::conformance
