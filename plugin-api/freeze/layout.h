/* layout.h: where every field of the candidate ABI lies on a 64-bit system, and the value of every constant. Written by layout.py
   (target abi_baseline_update); a change in here is a change of the ABI. Each released ABI keeps its own copy for ever. */
#ifndef MQB_FREEZE_LAYOUT_H
#define MQB_FREEZE_LAYOUT_H
#include <mqb/plugin.h>

#if UINTPTR_MAX == UINT64_MAX
#ifdef __cplusplus
#define MQB_HOLDS(condition) static_assert(condition, #condition)
#else
#define MQB_HOLDS(condition) _Static_assert(condition, #condition)
#endif
#define MQB_TYPE(type, bytes) MQB_HOLDS(sizeof(type) == (bytes))
#define MQB_FIELD(type, field, offset, bytes) \
    MQB_HOLDS(offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (bytes))
#define MQB_VALUE(name, value) MQB_HOLDS((name) == (value))

/* ---- status.h ---- */
MQB_VALUE(MQB_OK, 0);
MQB_VALUE(MQB_PENDING, 1);
MQB_VALUE(MQB_RETRY, 2);
MQB_VALUE(MQB_REJECTED, 3);
MQB_VALUE(MQB_BAD_CONFIG, 4);
MQB_VALUE(MQB_DISCONNECTED, 5);
MQB_VALUE(MQB_END, 6);
MQB_VALUE(MQB_CANCELLED, 7);
MQB_VALUE(MQB_UNSUPPORTED, 8);
MQB_VALUE(MQB_ABI_DRAFT, 1);
MQB_TYPE(mqb_text, 16);
MQB_FIELD(mqb_text, data, 0, 8);
MQB_FIELD(mqb_text, size, 8, 8);

/* ---- message.h ---- */
MQB_TYPE(mqb_owner, 32);
MQB_FIELD(mqb_owner, struct_size, 0, 4);
MQB_FIELD(mqb_owner, reserved, 4, 4);
MQB_FIELD(mqb_owner, total_size, 8, 8);
MQB_FIELD(mqb_owner, retain, 16, 8);
MQB_FIELD(mqb_owner, release, 24, 8);
MQB_TYPE(mqb_buffer, 24);
MQB_FIELD(mqb_buffer, data, 0, 8);
MQB_FIELD(mqb_buffer, size, 8, 8);
MQB_FIELD(mqb_buffer, owner, 16, 8);
MQB_TYPE(mqb_message, 80);
MQB_FIELD(mqb_message, id, 0, 16);
MQB_FIELD(mqb_message, lane, 16, 8);
MQB_FIELD(mqb_message, delivery_count, 24, 4);
MQB_FIELD(mqb_message, struct_size, 28, 4);
MQB_FIELD(mqb_message, payload, 32, 24);
MQB_FIELD(mqb_message, metadata, 56, 24);
MQB_TYPE(mqb_list, 16);
MQB_FIELD(mqb_list, first, 0, 8);
MQB_FIELD(mqb_list, count, 8, 4);
MQB_FIELD(mqb_list, stride, 12, 2);
MQB_FIELD(mqb_list, size, 14, 2);

/* ---- metadata.h ---- */
MQB_VALUE(MQB_META_NULL, 0);
MQB_VALUE(MQB_META_BYTES, 1);
MQB_VALUE(MQB_META_TEXT, 2);
MQB_VALUE(MQB_META_BOOL, 3);
MQB_VALUE(MQB_META_INT, 4);
MQB_VALUE(MQB_META_DOUBLE, 5);
MQB_VALUE(MQB_META_TIME, 6);
MQB_VALUE(MQB_META_JSON, 7);
MQB_VALUE(MQB_META_PRIVATE, 128);
MQB_VALUE(MQB_META_MAX_ENTRIES, 4096);
MQB_VALUE(MQB_META_MAX_SIZE, 16777216);
MQB_TYPE(mqb_meta, 40);
MQB_FIELD(mqb_meta, type, 0, 4);
MQB_FIELD(mqb_meta, key, 8, 16);
MQB_FIELD(mqb_meta, value, 24, 16);

/* ---- call.h ---- */
MQB_VALUE(MQB_ACK, 0);
MQB_VALUE(MQB_NACK, 1);
MQB_VALUE(MQB_REJECT, 2);
MQB_VALUE(MQB_REPLY, 3);
MQB_VALUE(MQB_REPLY_MORE, 4);
MQB_VALUE(MQB_RELEASED, 5);
MQB_VALUE(MQB_SETTLE_RETRY, 0);
MQB_VALUE(MQB_SETTLE_OK, 1);
MQB_VALUE(MQB_SETTLE_GONE, 2);
MQB_VALUE(MQB_UNSENT, 0);
MQB_VALUE(MQB_DONE, 1);
MQB_VALUE(MQB_AGAIN, 2);
MQB_VALUE(MQB_REFUSED, 3);
MQB_VALUE(MQB_UNCERTAIN, 4);
MQB_VALUE(MQB_GIVE_BACK, 5);
MQB_VALUE(MQB_DELIVERED, 0);
MQB_VALUE(MQB_FILTERED, 1);
MQB_VALUE(MQB_DUPLICATE, 2);
MQB_VALUE(MQB_DISCARDED, 3);
MQB_VALUE(MQB_DEAD_LETTERED, 4);
MQB_VALUE(MQB_EXHAUSTED, 1);
MQB_VALUE(MQB_WHOLE_CALL, 4294967295);
MQB_TYPE(mqb_call, 32);
MQB_FIELD(mqb_call, struct_size, 0, 4);
MQB_FIELD(mqb_call, reserved, 4, 4);
MQB_FIELD(mqb_call, operation, 8, 8);
MQB_FIELD(mqb_call, done, 16, 8);
MQB_FIELD(mqb_call, explain, 24, 8);
MQB_TYPE(mqb_receive, 72);
MQB_FIELD(mqb_receive, call, 0, 32);
MQB_FIELD(mqb_receive, max_messages, 32, 4);
MQB_FIELD(mqb_receive, drain, 36, 4);
MQB_FIELD(mqb_receive, max_bytes, 40, 8);
MQB_FIELD(mqb_receive, messages, 48, 16);
MQB_FIELD(mqb_receive, batch, 64, 8);
MQB_TYPE(mqb_entry, 40);
MQB_FIELD(mqb_entry, index, 0, 4);
MQB_FIELD(mqb_entry, disposition, 4, 4);
MQB_FIELD(mqb_entry, delay_ns, 8, 8);
MQB_FIELD(mqb_entry, reply, 16, 8);
MQB_FIELD(mqb_entry, reason, 24, 16);
MQB_TYPE(mqb_settle, 72);
MQB_FIELD(mqb_settle, call, 0, 32);
MQB_FIELD(mqb_settle, batch, 32, 8);
MQB_FIELD(mqb_settle, entries, 40, 16);
MQB_FIELD(mqb_settle, outcomes, 56, 16);
MQB_TYPE(mqb_outcome, 16);
MQB_FIELD(mqb_outcome, result, 0, 4);
MQB_FIELD(mqb_outcome, flags, 4, 4);
MQB_FIELD(mqb_outcome, number, 8, 8);
MQB_TYPE(mqb_send, 72);
MQB_FIELD(mqb_send, call, 0, 32);
MQB_FIELD(mqb_send, messages, 32, 16);
MQB_FIELD(mqb_send, outcomes, 48, 16);
MQB_FIELD(mqb_send, answer, 64, 8);
MQB_TYPE(mqb_control, 72);
MQB_FIELD(mqb_control, call, 0, 32);
MQB_FIELD(mqb_control, id, 32, 16);
MQB_FIELD(mqb_control, request, 48, 16);
MQB_FIELD(mqb_control, answer, 64, 8);

/* ---- consumer.h ---- */
MQB_TYPE(mqb_consumer, 8);
MQB_FIELD(mqb_consumer, table, 0, 8);
MQB_TYPE(mqb_consumer_table, 80);
MQB_FIELD(mqb_consumer_table, struct_size, 0, 4);
MQB_FIELD(mqb_consumer_table, reserved, 4, 4);
MQB_FIELD(mqb_consumer_table, connect, 8, 8);
MQB_FIELD(mqb_consumer_table, receive, 16, 8);
MQB_FIELD(mqb_consumer_table, settle, 24, 8);
MQB_FIELD(mqb_consumer_table, free_batch, 32, 8);
MQB_FIELD(mqb_consumer_table, lanes_done, 40, 8);
MQB_FIELD(mqb_consumer_table, lanes_ending, 48, 8);
MQB_FIELD(mqb_consumer_table, control, 56, 8);
MQB_FIELD(mqb_consumer_table, cancel, 64, 8);
MQB_FIELD(mqb_consumer_table, free, 72, 8);

/* ---- publisher.h ---- */
MQB_TYPE(mqb_publisher, 8);
MQB_FIELD(mqb_publisher, table, 0, 8);
MQB_TYPE(mqb_publisher_table, 48);
MQB_FIELD(mqb_publisher_table, struct_size, 0, 4);
MQB_FIELD(mqb_publisher_table, reserved, 4, 4);
MQB_FIELD(mqb_publisher_table, connect, 8, 8);
MQB_FIELD(mqb_publisher_table, send, 16, 8);
MQB_FIELD(mqb_publisher_table, control, 24, 8);
MQB_FIELD(mqb_publisher_table, cancel, 32, 8);
MQB_FIELD(mqb_publisher_table, free, 40, 8);

/* ---- store.h ---- */
MQB_VALUE(MQB_GET, 0);
MQB_VALUE(MQB_PUT, 1);
MQB_VALUE(MQB_RENEW, 2);
MQB_VALUE(MQB_DELETE, 3);
MQB_VALUE(MQB_SCAN, 4);
MQB_VALUE(MQB_ALWAYS, 0);
MQB_VALUE(MQB_IF_ABSENT, 1);
MQB_VALUE(MQB_IF_VERSION, 2);
MQB_VALUE(MQB_STORE_NOT_DONE, 0);
MQB_VALUE(MQB_STORE_OK, 1);
MQB_VALUE(MQB_STORE_ABSENT, 2);
MQB_VALUE(MQB_STORE_CONFLICT, 3);
MQB_TYPE(mqb_store_entry, 72);
MQB_FIELD(mqb_store_entry, verb, 0, 4);
MQB_FIELD(mqb_store_entry, condition, 4, 4);
MQB_FIELD(mqb_store_entry, version, 8, 8);
MQB_FIELD(mqb_store_entry, expiry_ns, 16, 8);
MQB_FIELD(mqb_store_entry, key, 24, 16);
MQB_FIELD(mqb_store_entry, value, 40, 24);
MQB_FIELD(mqb_store_entry, limit, 64, 4);
MQB_FIELD(mqb_store_entry, reserved, 68, 4);
MQB_TYPE(mqb_apply, 72);
MQB_FIELD(mqb_apply, call, 0, 32);
MQB_FIELD(mqb_apply, entries, 32, 16);
MQB_FIELD(mqb_apply, outcomes, 48, 16);
MQB_FIELD(mqb_apply, found, 64, 8);
MQB_TYPE(mqb_store, 8);
MQB_FIELD(mqb_store, table, 0, 8);
MQB_TYPE(mqb_store_table, 40);
MQB_FIELD(mqb_store_table, struct_size, 0, 4);
MQB_FIELD(mqb_store_table, reserved, 4, 4);
MQB_FIELD(mqb_store_table, connect, 8, 8);
MQB_FIELD(mqb_store_table, apply, 16, 8);
MQB_FIELD(mqb_store_table, cancel, 24, 8);
MQB_FIELD(mqb_store_table, free, 32, 8);

/* ---- host.h ---- */
MQB_VALUE(MQB_STATE, 1);
MQB_VALUE(MQB_LANES_ENDING, 2);
MQB_VALUE(MQB_LANES_ENDED, 3);
MQB_VALUE(MQB_COUNT, 4);
MQB_VALUE(MQB_WARN, 5);
MQB_VALUE(MQB_LOG_DEBUG, 1);
MQB_VALUE(MQB_LOG_INFO, 2);
MQB_VALUE(MQB_LOG_WARNING, 3);
MQB_VALUE(MQB_LOG_ERROR, 4);
MQB_VALUE(MQB_LOG_HOST_MISBEHAVES, 5);
MQB_VALUE(MQB_CLOCK_STEADY, 0);
MQB_VALUE(MQB_CLOCK_WALL, 1);
MQB_TYPE(mqb_event, 56);
MQB_FIELD(mqb_event, struct_size, 0, 4);
MQB_FIELD(mqb_event, kind, 4, 4);
MQB_FIELD(mqb_event, text, 8, 16);
MQB_FIELD(mqb_event, number, 24, 8);
MQB_FIELD(mqb_event, deadline_ns, 32, 8);
MQB_FIELD(mqb_event, lanes, 40, 8);
MQB_FIELD(mqb_event, lane_count, 48, 4);
MQB_FIELD(mqb_event, reserved, 52, 4);
MQB_TYPE(mqb_host, 8);
MQB_FIELD(mqb_host, table, 0, 8);
MQB_TYPE(mqb_host_table, 72);
MQB_FIELD(mqb_host_table, struct_size, 0, 4);
MQB_FIELD(mqb_host_table, reserved, 4, 4);
MQB_FIELD(mqb_host_table, log_level, 8, 8);
MQB_FIELD(mqb_host_table, log, 16, 8);
MQB_FIELD(mqb_host_table, event, 24, 8);
MQB_FIELD(mqb_host_table, now, 32, 8);
MQB_FIELD(mqb_host_table, wait_until, 40, 8);
MQB_FIELD(mqb_host_table, cancel, 48, 8);
MQB_FIELD(mqb_host_table, render, 56, 8);
MQB_FIELD(mqb_host_table, table_of, 64, 8);

/* ---- plugin.h ---- */
MQB_VALUE(MQB_ENDPOINT, 1);
MQB_VALUE(MQB_MIDDLEWARE, 2);
MQB_VALUE(MQB_HANDLER, 3);
MQB_VALUE(MQB_STORE, 4);
MQB_VALUE(MQB_SIDE_CONSUMER, 1);
MQB_VALUE(MQB_SIDE_PUBLISHER, 2);
MQB_VALUE(MQB_UNIT_MESSAGE, 0);
MQB_VALUE(MQB_UNIT_PREFIX, 1);
MQB_VALUE(MQB_UNIT_BATCH, 2);
MQB_VALUE(MQB_ACKNOWLEDGES, 1);
MQB_VALUE(MQB_STABLE_IDENTITY, 2);
MQB_VALUE(MQB_FINITE, 4);
MQB_VALUE(MQB_NEEDS_POLLING, 8);
MQB_VALUE(MQB_EMPTIED_AT_STOP, 1024);
MQB_VALUE(MQB_RESPONDS, 16);
MQB_VALUE(MQB_ORDERED, 32);
MQB_VALUE(MQB_ORDERED_RETRY, 64);
MQB_VALUE(MQB_CONCURRENT, 128);
MQB_VALUE(MQB_IDEMPOTENT, 256);
MQB_VALUE(MQB_TRANSACTIONAL, 512);
MQB_TYPE(mqb_promises, 32);
MQB_FIELD(mqb_promises, struct_size, 0, 4);
MQB_FIELD(mqb_promises, flags, 4, 4);
MQB_FIELD(mqb_promises, settle_unit, 8, 4);
MQB_FIELD(mqb_promises, dispositions, 12, 4);
MQB_FIELD(mqb_promises, max_unsettled_messages, 16, 4);
MQB_FIELD(mqb_promises, max_unsettled_batches, 20, 4);
MQB_FIELD(mqb_promises, holds_messages, 24, 4);
MQB_FIELD(mqb_promises, holds_batches, 28, 4);
MQB_TYPE(mqb_child, 32);
MQB_FIELD(mqb_child, kind, 0, 4);
MQB_FIELD(mqb_child, reserved, 4, 4);
MQB_FIELD(mqb_child, path, 8, 16);
MQB_FIELD(mqb_child, handle, 24, 8);
MQB_TYPE(mqb_promise, 64);
MQB_FIELD(mqb_promise, call, 0, 32);
MQB_FIELD(mqb_promise, config, 32, 16);
MQB_FIELD(mqb_promise, side, 48, 4);
MQB_FIELD(mqb_promise, reserved, 52, 4);
MQB_FIELD(mqb_promise, promises, 56, 8);
MQB_TYPE(mqb_create, 168);
MQB_FIELD(mqb_create, call, 0, 32);
MQB_FIELD(mqb_create, host, 32, 8);
MQB_FIELD(mqb_create, config, 40, 16);
MQB_FIELD(mqb_create, side, 56, 4);
MQB_FIELD(mqb_create, drain, 60, 4);
MQB_FIELD(mqb_create, concurrency, 64, 4);
MQB_FIELD(mqb_create, batch_messages, 68, 4);
MQB_FIELD(mqb_create, byte_budget, 72, 8);
MQB_FIELD(mqb_create, route, 80, 16);
MQB_FIELD(mqb_create, path, 96, 16);
MQB_FIELD(mqb_create, instance, 112, 16);
MQB_FIELD(mqb_create, directory, 128, 16);
MQB_FIELD(mqb_create, children, 144, 16);
MQB_FIELD(mqb_create, made, 160, 8);
MQB_TYPE(mqb_factory, 64);
MQB_FIELD(mqb_factory, struct_size, 0, 4);
MQB_FIELD(mqb_factory, kind, 4, 4);
MQB_FIELD(mqb_factory, sides, 8, 4);
MQB_FIELD(mqb_factory, reserved, 12, 4);
MQB_FIELD(mqb_factory, name, 16, 16);
MQB_FIELD(mqb_factory, schema, 32, 16);
MQB_FIELD(mqb_factory, promises, 48, 8);
MQB_FIELD(mqb_factory, create, 56, 8);
MQB_TYPE(mqb_plugin, 80);
MQB_FIELD(mqb_plugin, struct_size, 0, 4);
MQB_FIELD(mqb_plugin, draft, 4, 4);
MQB_FIELD(mqb_plugin, name, 8, 16);
MQB_FIELD(mqb_plugin, version, 24, 16);
MQB_FIELD(mqb_plugin, licence, 40, 16);
MQB_FIELD(mqb_plugin, factories, 56, 8);
MQB_FIELD(mqb_plugin, factory_count, 64, 4);
MQB_FIELD(mqb_plugin, reserved, 68, 4);
MQB_FIELD(mqb_plugin, table, 72, 8);

#undef MQB_HOLDS
#undef MQB_TYPE
#undef MQB_FIELD
#undef MQB_VALUE
#endif
#endif
