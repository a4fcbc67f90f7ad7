/* consumer.h: the source of messages. A plugin implements this table for the host; the host implements it for the inner side
   of a middleware plugin. */
#ifndef MQB_CONSUMER_H
#define MQB_CONSUMER_H
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle. Its maker embeds it in a larger struct. */
typedef struct mqb_consumer {
    const struct mqb_consumer_table *table;
} mqb_consumer;

/* States: made -> connected -> disconnected -> connected … -> freed; free may come in each of them. Required slots: receive,
   free_batch, cancel, free. */
typedef struct mqb_consumer_table {
    uint32_t struct_size;
    uint32_t reserved;
    /* [serial] Connects once, without retrying. OK: receive may be called. Called again on the same handle after DISCONNECTED,
       when nothing is in flight; batches from before stay valid, and their settles answer GONE where the protocol has lost them.
       Errors: BAD_CONFIG stops the route, any other is tried again after a back-off. Null: nothing to do. */
    mqb_status (*connect)(mqb_consumer *self, mqb_call *call);
    /* [serial] Waits for the first message, then takes what is there. At most one in flight. Cancelled: OK with messages, or
       CANCELLED (or END, DISCONNECTED) with none: a message is never taken and not given. END without `drain` is final: where NACK
       is declared it is answered only when all that was given is settled. */
    mqb_status (*receive)(mqb_consumer *self, mqb_receive *receive);
    /* [serial] Settles entries of one batch. The outcomes decide; the status speaks only of the connection. Several may be in
       flight: with MQB_UNIT_MESSAGE any number, PREFIX one for each lane, BATCH one; a call of only REPLY_MORE entries beside
       any. PREFIX: a call may name several lanes, each in order, and is the one in flight of each of them; nothing of a lane is
       recorded past the first entry that is not OK; a batch may take several calls. BATCH: one call names every index, and all
       entries have one outcome. What the host lends a middleware answers DONE with OK at once:
       accepted; the host's ledger does the rest. Null: the consumer acknowledges nothing. */
    mqb_status (*settle)(mqb_consumer *self, mqb_settle *settle);
    /* [serial] The batch and its array are not used any more; what was not settled is delivered again, at the latest to the next
       consumer of the same configuration. A batch may span lanes: none but its own messages are affected, except that with
       PREFIX each lane with an unsettled message of it is dead, and later settles of that lane answer GONE. No settle of this
       batch is in flight. Does not wait. */
    void (*free_batch)(mqb_consumer *self, void *batch);
    /* [serial] Leaf only. No more settles of the lanes of this LANES_ENDING come: what has no outcome is the source's again, though
       its batch may be freed later. Once for each token; an unknown one (the deadline came first) is ignored. Null: the consumer has
       no lanes that end. */
    void (*lanes_done)(mqb_consumer *self, uint64_t token);
    /* [serial] Middlewares only, from the leaf outward: before the deadline (clock of now(), steady) give on, settle or NACK what
       you hold of these lanes. The array is borrowed for the call. Null: holds nothing. */
    void (*lanes_ending)(mqb_consumer *self, const uint64_t *lanes, uint32_t count, uint64_t deadline_ns);
    /* [serial] Null: no control at all. An unknown id answers UNSUPPORTED. */
    mqb_status (*control)(mqb_consumer *self, mqb_control *control);
    /* [any] Asks to end an operation. It comes only after the start has returned PENDING, and may cross the completion: unknown or
       finished is ignored. The completion still comes, once, soon, and never in here: from a thread of the plugin or a timer, since
       no further call need come. Does not wait. settle may run to its end. None runs when free is called, and none comes later. */
    void (*cancel)(mqb_consumer *self, uint64_t operation);
    /* [serial] Closes and frees, also without any connect; may block. Everything has completed and every batch is freed; of a
       middleware the host has first ended its timers and inner operations. From here on the instance calls nothing of the host but
       log and log_level. When it returns its threads and descriptors are gone, no thread is inside a host function for this handle
       (done, explain and answer included), and none will be; counted buffers stay valid. */
    void (*free)(mqb_consumer *self);
} mqb_consumer_table;

#ifdef __cplusplus
}
#endif
#endif
