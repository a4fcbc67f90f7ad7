/* host.h: what the host offers to one instance: logs, events, clock, timers, templates. */
#ifndef MQB_HOST_H
#define MQB_HOST_H
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of events. A host ignores a kind that it does not know. */
enum {
    MQB_STATE = 1,        /* what the host cannot see, of a client that reconnects by itself: number 1 connected, 0 reconnecting;
                             text: the cause. Not for connect and DISCONNECTED */
    MQB_LANES_ENDING = 2, /* raised after every receive that gave messages of these lanes has called `done` or is returning OK: the
                             host handles an event after the start that is running. No later receive gives messages of them. Lanes
                             that are lost without notice: with a deadline of now, and LANES_ENDED behind it */
    MQB_LANES_ENDED = 3,  /* the lanes of this token are given up; later settles of them answer GONE */
    MQB_COUNT = 4,        /* text: a name of the plugin's; number: what to add */
    MQB_WARN = 5          /* text: something that an operator should see once */
};

typedef struct mqb_event {
    uint32_t struct_size;
    int32_t kind;
    mqb_text text;
    int64_t number;        /* STATE, COUNT; LANES_ENDING, LANES_ENDED: the token, chosen by the consumer, never used again */
    uint64_t deadline_ns;  /* LANES_ENDING: on the steady clock of now() */
    const uint64_t *lanes; /* LANES_ENDING: at least one; borrowed for the call */
    uint32_t lane_count;
    uint32_t reserved;
} mqb_event;

/* Levels of a log line. The last one says that the host broke a rule of this ABI. */
enum { MQB_LOG_DEBUG = 1, MQB_LOG_INFO = 2, MQB_LOG_WARNING = 3, MQB_LOG_ERROR = 4, MQB_LOG_HOST_MISBEHAVES = 5 };
enum { MQB_CLOCK_STEADY = 0, MQB_CLOCK_WALL = 1 };

/* The host as one instance sees it: made for one create, valid until that instance's free has returned. All slots are set. */
typedef struct mqb_host {
    const struct mqb_host_table *table;
} mqb_host;

typedef struct mqb_host_table {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*log_level)(mqb_host *self);                      /* [any] the lowest level that is written: ask before formatting */
    void (*log)(mqb_host *self, int32_t level, mqb_text text); /* [any] one line, UTF-8, cut at 4 KiB */
    /* [any] Queued together with the completions of the same instance, in the order in which they were made; never handled in
       here. What a call answered DONE before is booked first. The event is borrowed for the call. */
    void (*event)(mqb_host *self, const mqb_event *event);
    uint64_t (*now)(mqb_host *self, int32_t clock);            /* [any] ns; the wall clock since 1970 */
    /* [any] A timer: PENDING always; OK at the time (steady clock) or soon after, CANCELLED when cancelled. An operation like any
       other: the host cancels those that are left and delivers their completions before it calls free. */
    mqb_status (*wait_until)(mqb_host *self, uint64_t steady_ns, mqb_call *call);
    void (*cancel)(mqb_host *self, uint64_t operation);        /* [any] of wait_until */
    /* [any] Fills template `number` of the configuration for one message. *size: in, the room at `out`; out, the size of the text.
       OK; RETRY: did not fit, nothing written; REJECTED: the message has not what the template asks for, or no such number. */
    mqb_status (*render)(mqb_host *self, uint32_t number, const mqb_message *message, char *out, size_t *size);
    /* [call] Inside create: an optional table of another plugin; null when there is none. Valid for ever. */
    const void *(*table_of)(mqb_host *self, mqb_text plugin, mqb_text id);
} mqb_host_table;

#ifdef __cplusplus
}
#endif
#endif
