// Rules: the sentences of the ABI headers that the kit checks, as a failure quotes them.
#pragma once
#include "verdict.hpp"

namespace mqb::conformance::rules {

inline constexpr rule no_exception{"status.h", "No C++ exception, longjmp or thread cancellation crosses this interface."};
inline constexpr rule known_status{"status.h",
                                   "The answer of a call is one of the status classes; a start answers OK, PENDING or an error class."};
inline constexpr rule text{"status.h", "mqb_text: UTF-8, no terminator."};
inline constexpr rule growth{"status.h", "A table or struct begins with struct_size; a field exists if it ends within that size."};
inline constexpr rule borrowed{"status.h", "What a call struct points to is the caller's and stays valid until the answer is known."};

inline constexpr rule buffer{
    "message.h", "data null: there is none; owner null: not countable; owners carry struct_size, total_size, retain and release."};
inline constexpr rule list{
    "message.h", "stride: the way to the next element; size: never more than stride; never write or copy a whole element by assignment."};
inline constexpr rule counted{
    "message.h", "Buffers are borrowed from whoever gave the message; retain their owners to keep them; the last release frees."};
inline constexpr rule metadata{"metadata.h", "entry := type:u8 zero:u8 key-size:u16 value-size:u32 key value."};

inline constexpr rule lane{"message.h", "lane: a lane that is over is never used again by the same handle, whatever it connects to."};

inline constexpr rule done_once{"call.h", "MQB_PENDING: `done` comes once."};
inline constexpr rule done_never{"call.h", "MQB_OK and error classes: `done` is not called."};
inline constexpr rule done_inside{"call.h", "`done` comes on any thread, never inside this start and never inside a `cancel`."};
inline constexpr rule struct_owner{
    "call.h",
    "The caller owns the struct and keeps it in place until the answer is known; the struct is the caller's again from there on."};
inline constexpr rule explain{"call.h", "explain: before the answer; entry is an index of the call's array or MQB_WHOLE_CALL."};
inline constexpr rule receive_answer{"call.h", "Receive answers, before OK, with messages and batch; count 0: batch is null."};
inline constexpr rule receive_limits{"call.h",
                                     "max_messages at least 1; max_bytes payload bytes, the first message is given even if it is larger."};
inline constexpr rule drain{"call.h", "drain: answer END rather than wait when nothing is there."};
inline constexpr rule settle_outcome{"call.h", "Every index gets exactly one final entry whose outcome is not RETRY."};
inline constexpr rule nack{"call.h", "MQB_NACK: deliver it again, not before delay_ns."};
inline constexpr rule reply{"call.h", "MQB_REPLY: acknowledged, with an answer to its sender."};
inline constexpr rule send_outcome{"call.h", "Outcomes are zeroed by the caller; UNSENT is what a message has of which nothing was said."};
inline constexpr rule not_written{"call.h", "messages and entries are not to be written."};
inline constexpr rule answer{
    "call.h", "answer: before the answer to the whole call; publishers at most one for each message; control at most once, before OK."};

inline constexpr rule consumer_slots{"consumer.h", "Required slots: receive, free_batch, cancel, free."};
inline constexpr rule connect{"consumer.h", "connect: once, without retrying; OK: receive may be called."};
inline constexpr rule receive{"consumer.h",
                              "receive: waits for the first message, then takes what is there; a message is never taken and not given."};
inline constexpr rule cancel{
    "consumer.h", "cancel: unknown or finished is ignored; the completion still comes, once; connect, receive and control end at once."};
inline constexpr rule settle{
    "consumer.h",
    "settle: the outcomes decide; PREFIX: nothing of a lane past the first that is not OK; BATCH: all entries have one outcome."};
inline constexpr rule free_batch{
    "consumer.h", "free_batch: what was not settled is delivered again, at the latest to the next consumer of the same configuration."};
inline constexpr rule free_batch_lanes{"consumer.h", "free_batch: a batch may span lanes: none but its own messages are affected."};
inline constexpr rule free_batch_prefix{
    "consumer.h", "free_batch: with PREFIX each lane with an unsettled message of it is dead, and later settles of that lane answer GONE."};
inline constexpr rule settle_batch{"consumer.h", "settle: BATCH: one call names every index, and all entries have one outcome."};
inline constexpr rule lanes_done{"consumer.h", "lanes_done: once for each token; an unknown token (the deadline came first) is ignored."};
inline constexpr rule free_quiet{"consumer.h",
                                 "free: when it returns no thread is inside a host function for this handle, and none will be."};
inline constexpr rule free_calls{"consumer.h", "free: calls nothing of the host but log."};
inline constexpr rule free_buffers{"consumer.h", "free: counted buffers stay valid."};
inline constexpr rule control{"consumer.h", "control: an unknown id answers UNSUPPORTED."};

inline constexpr rule publisher_slots{"publisher.h", "Required slots: send, cancel, free."};
inline constexpr rule send{"publisher.h", "send: a batch, in order; the outcomes decide, also when the status is an error."};
inline constexpr rule reconnect{
    "consumer.h",
    "connect: called again on the same handle after DISCONNECTED, when nothing is in flight; batches from before stay valid."};
inline constexpr rule send_cancelled{"publisher.h",
                                     "Cancelled: what left and is not confirmed is UNCERTAIN, the rest UNSENT; send ends at once."};
inline constexpr rule send_empty{"call.h", "A send with count 0: finish now what is held; DONE when nothing is."};

inline constexpr rule store_slots{"store.h", "Required slots: apply, cancel, free."};
inline constexpr rule store{"store.h", "Each entry is atomic; its outcome says OK, ABSENT or CONFLICT and the version now."};

inline constexpr rule event{"host.h",
                            "An event has a struct_size, and LANES_ENDING at least one lane and a token that is never used again."};
inline constexpr rule many_lanes{"docs/abi.md", "A host takes up to 65536 lanes in one LANES_ENDING."};
inline constexpr rule lanes_ending{
    "host.h", "LANES_ENDING: raised after every receive that gave messages of these lanes; no later receive gives messages of them."};
inline constexpr rule lanes_served{"host.h", "LANES_ENDED: the lanes of this token are given up; later settles of them answer GONE."};

inline constexpr rule symbol{"plugin.h", "mqb_plugin_v1 is the one exported symbol."};
inline constexpr rule loadable{"plugin.h",
                               "The library loads with RTLD_NOW|RTLD_LOCAL: every symbol is bound and every needed library is there."};
inline constexpr rule looking{"plugin.h",
                              "mqb_plugin_v1 runs nothing: returns the same pointer to static const data for ever, never null."};
inline constexpr rule draft{"status.h", "While MQB_ABI_DRAFT is not zero, a host loads only plugins of the same number."};
inline constexpr rule descriptor{"plugin.h", "A plugin has a size, a name, a version, an SPDX licence and factories."};
inline constexpr rule factory{"plugin.h", "A factory has a size, a kind, sides, a name [a-z][a-z0-9_]*, a schema and create."};
inline constexpr rule schema{"plugin.h", "schema: JSON Schema of the configuration."};
inline constexpr rule promises{"plugin.h", "promises: pure: no I/O, no state, nothing of the host."};
inline constexpr rule promised{"plugin.h", "What an instance of this configuration keeps to: the declared promises."};
inline constexpr rule ordered_retry{
    "plugin.h",
    "ORDERED_RETRY: after the first entry that is neither DONE nor REFUSED, all later entries of that lane, in this send and in those "
    "already started, come back UNSENT."};
inline constexpr rule transactional{"plugin.h", "TRANSACTIONAL: a send is done whole or not at all."};
inline constexpr rule create{
    "plugin.h", "create: starts no thread, registers nothing outside the instance; BAD_CONFIG for a configuration that makes no sense."};
inline constexpr rule create_calls{"plugin.h", "create calls nothing of the host but log, log_level, now and table_of."};
inline constexpr rule made{"plugin.h", "create answers, with OK, through made."};
inline constexpr rule lent{"plugin.h",
                           "The borrower never calls connect, control, lanes_done, lanes_ending or free of what is lent to it."};

}  // namespace mqb::conformance::rules
