/* publisher.h: the sink of messages, and the handler, which is a publisher whose answers are the messages to publish. */
#ifndef MQB_PUBLISHER_H
#define MQB_PUBLISHER_H
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle. Its maker embeds it in a larger struct. */
typedef struct mqb_publisher {
    const struct mqb_publisher_table *table;
} mqb_publisher;

/* States as for a consumer. Required slots: send, cancel, free. There is no close: an empty send finishes what is held and
   reports it while that can still matter; free does the rest. */
typedef struct mqb_publisher_table {
    uint32_t struct_size;
    uint32_t reserved;
    /* [serial] As for a consumer. Null: nothing to do. */
    mqb_status (*connect)(mqb_publisher *self, mqb_call *call);
    /* [serial] Sends a batch, in order. The outcomes decide, also when the status is an error; the status speaks only of the
       connection. More than one is in flight only with the promise CONCURRENT or ORDERED_RETRY. Cancelled: what left and is not
       confirmed is UNCERTAIN, the rest UNSENT. Whoever holds messages back does so for a bounded time, and until an empty send;
       without CONCURRENT or ORDERED_RETRY that one comes only after the last answer, so a pending send needs its own bound. */
    mqb_status (*send)(mqb_publisher *self, mqb_send *send);
    /* [serial] Null: no control at all. An unknown id answers UNSUPPORTED. */
    mqb_status (*control)(mqb_publisher *self, mqb_control *control);
    /* [any] As for a consumer. connect, send and control end at once. */
    void (*cancel)(mqb_publisher *self, uint64_t operation);
    /* [serial] As for a consumer: every send has its answer; may block; reports nothing. */
    void (*free)(mqb_publisher *self);
} mqb_publisher_table;

#ifdef __cplusplus
}
#endif
#endif
