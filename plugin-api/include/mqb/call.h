/* call.h: the call structs. Whatever may wait is a start, `start(self, struct *)`, and a completion.

   A start answers MQB_OK (DONE: the result is in the struct, `done` is not called), MQB_PENDING (`done` comes once, on any
   thread, never on one that is inside this start or inside a `cancel` of this handle; on another thread it may come before the
   start has returned), or an error class (`done` is not called). What was written before `done` is seen by whoever it tells. The
   caller owns the struct, keeps it in place until the answer is known, and finds its own state by its address. A start does not
   block: whatever may wait answers PENDING. Both sides obey this: a middleware plugin is a caller too. */
#ifndef MQB_CALL_H
#define MQB_CALL_H
#include "message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The head of every call struct. */
typedef struct mqb_call mqb_call;
struct mqb_call {
    uint32_t struct_size; /* of the whole call struct */
    uint32_t reserved;
    uint64_t operation;   /* the caller's name for it, not 0, unique among those in flight on this handle; what `cancel` takes */
    /* [any] The end of a call that answered PENDING: once, with no lock held. The struct is the caller's again from here on. A
       host returns at once and goes on later; a middleware may start, cancel and complete operations in here. Null in calls that
       never answer PENDING (create, promises). */
    void (*done)(mqb_call *call, mqb_status status);
    /* [any] Text for people, before the answer, inside the start or later; one at a time for each call. entry: a position
       in the call's messages or entries, or MQB_WHOLE_CALL. The last text for a position counts; the receiver copies it, cut at
       4 KiB. Never null. */
    void (*explain)(mqb_call *call, uint32_t entry, mqb_text text);
};
#define MQB_WHOLE_CALL UINT32_MAX

/* Asks a consumer for messages. */
typedef struct mqb_receive {
    mqb_call call;
    uint32_t max_messages; /* at least 1 */
    uint32_t drain;        /* not 0: answer END rather than wait when nothing is there and nobody known to this consumer will bring
                              more; asked again while anything is unsettled */
    uint64_t max_bytes;    /* payload bytes; 0: no limit; the first message is given even if it is larger */
    /* Answer, written before OK. Both stay the consumer's and valid, for any thread, until free_batch. */
    mqb_list messages;     /* of mqb_message; count 0: nothing now, ask again after the poll interval; then batch is null, and only
                              then */
    void *batch;
} mqb_receive;

/* What becomes of a message at its source. A plugin is never given a disposition that it did not declare (plugin.h); whoever
   settles at all declares ACK. */
enum {
    MQB_ACK = 0,        /* done with it */
    MQB_NACK = 1,       /* deliver it again, not before delay_ns; declared only with MQB_UNIT_MESSAGE */
    MQB_REJECT = 2,     /* the source's own dead-letter or terminate */
    MQB_REPLY = 3,      /* acknowledged, with an answer to its sender */
    MQB_REPLY_MORE = 4, /* an answer that settles nothing: any number before the final entry */
    MQB_RELEASED = 5    /* acknowledged elsewhere (its position went into a transaction): forget it, record nothing */
};
#define MQB_BIT(value) (1u << (value))

/* One entry of a settle. Every index gets exactly one final entry whose outcome is not RETRY; REPLY_MORE is not final. */
typedef struct mqb_entry {
    uint32_t index;           /* of the batch */
    int32_t disposition;
    uint64_t delay_ns;        /* NACK */
    const mqb_message *reply; /* REPLY, REPLY_MORE; else null */
    mqb_text reason;          /* NACK, REJECT: text for people, may be empty. ACK: empty when the message was delivered, else why it
                                 was not: "filtered", "duplicate", "discarded" or "dead_lettered", which the host counts apart */
} mqb_entry;

/* Outcome of a settle entry. The zero is what an entry has that nobody wrote. */
enum {
    MQB_SETTLE_RETRY = 0, /* not recorded, or recording it twice is harmless: the same entry comes again */
    MQB_SETTLE_OK = 1,    /* recorded, as durably as the protocol confirms; without confirmations: written */
    MQB_SETTLE_GONE = 2   /* no longer ours to settle, or nobody can say whether it was recorded: the source may deliver the message
                             again, perhaps to somebody else */
};

/* Settles entries of one batch. */
typedef struct mqb_settle {
    mqb_call call;
    void *batch;
    mqb_list entries;  /* of mqb_entry, not to be written; in the order in which they are to be carried out */
    mqb_list outcomes; /* of mqb_outcome, zeroed by the caller, same count */
} mqb_settle;

/* Outcome of one message of a send. The zero is what a message has of which nothing was said. Beside a status of OK, UNSENT
   stands only behind an outcome that is neither DONE nor REFUSED. */
enum {
    MQB_UNSENT = 0,    /* did not leave: sending it again cannot make a duplicate */
    MQB_DONE = 1,      /* the other side has it; a response, if any, went through `answer` */
    MQB_AGAIN = 2,     /* refused for now (class retry) */
    MQB_REFUSED = 3,   /* refused for good (class rejected) */
    MQB_UNCERTAIN = 4, /* may have arrived: sending it again may make a duplicate */
    MQB_GIVE_BACK = 5  /* handlers only: NACK at the source, after `number` ns */
};
/* What DONE means for the message, in `number`: whoever took it out of the way on purpose says so, and the host counts it apart. */
enum {
    MQB_DELIVERED = 0,
    MQB_FILTERED = 1,     /* not wanted there */
    MQB_DUPLICATE = 2,    /* was there already */
    MQB_DISCARDED = 3,    /* thrown away as the configuration says */
    MQB_DEAD_LETTERED = 4 /* refused or exhausted, and kept elsewhere: durably */
};
/* Flags of an outcome. */
enum { MQB_EXHAUSTED = 1 }; /* somebody below has given up retrying */

/* Outcome of one entry of a send, settle or apply. */
typedef struct mqb_outcome {
    int32_t result;  /* MQB_SETTLE_…, one of the above, or MQB_STORE_… */
    uint32_t flags;
    uint64_t number; /* AGAIN, GIVE_BACK: not before this many ns; DONE: MQB_DELIVERED, …; store: the version now */
} mqb_outcome;

static inline const mqb_entry *mqb_entry_at(const mqb_list *list, uint32_t i) { return (const mqb_entry *)mqb_at(list, i); }
static inline mqb_outcome *mqb_outcome_at(const mqb_list *list, uint32_t i) { return (mqb_outcome *)mqb_at(list, i); }

/* Sends messages through a publisher, or puts them to a handler. */
typedef struct mqb_send mqb_send;
struct mqb_send {
    mqb_call call;
    mqb_list messages; /* of mqb_message, not to be written. count 0: finish now what is held; DONE when nothing is. An empty send
                          obeys the same rule as any other: beside sends in flight only with CONCURRENT or ORDERED_RETRY */
    mqb_list outcomes; /* of mqb_outcome, zeroed by the caller, same count */
    /* [any] The response to message `index`, before the answer to the whole send, one at a time for each call. Publishers: at
       most one for each message; handlers: each is a message to publish, in order, and a message that is DONE without one
       publishes nothing and counts as filtered. Null: nobody wants responses. */
    void (*answer)(mqb_send *send, uint32_t index, const mqb_message *response);
};

/* A cold ability by name: "lag", "position.show", "position.seek", "browse", "topology", … */
typedef struct mqb_control mqb_control;
struct mqb_control {
    mqb_call call;
    mqb_text id;
    mqb_text request;                                    /* JSON */
    void (*answer)(mqb_control *control, mqb_text json); /* [any] at most once, before OK */
};

#ifdef __cplusplus
}
#endif
#endif
