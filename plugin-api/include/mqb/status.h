/* status.h: the words of the plugin ABI, its rules for threads, ownership and growth, and the status classes.

   Read in this order: status.h, message.h, metadata.h, call.h, consumer.h, publisher.h, store.h, host.h, plugin.h.
   Everything is C11 and C++11, plain data and function pointers; docs/abi.md explains it to an author.

   THREAD WORDS. Every function of this ABI carries one.
     [any]     from any thread, also two at once.
     [serial]  one call at a time for each handle, on whichever thread; operations overlap, calls do not. A call happens after
               the previous [serial] call of the handle returned, so no lock is needed to see what that one wrote.
     [call]    only inside another call, where the text names it.
   The completions of an instance's timers come [serial] too. A middleware gets everything [serial]: starts, cancels,
   lanes_ending, and the completions of its inner operations.

   OWNERSHIP, in four sentences. Whoever made a thing frees it, through the function declared beside it. What a call struct
   points to is the caller's and stays valid until the answer is known (DONE or an error: until the start returns; PENDING:
   until `done` is called). What the callee passes to a function of the call struct (explain, answer, found) is borrowed for
   that call. Payloads and metadata are counted buffers and may be kept longer by retaining their owner.

   BLOCKING. A call that may not block may read and write local files and load a library; it never waits for a network, another
   process, a lock that somebody holds while waiting, or the host. "Soon", of what was cancelled, is within a second.

   GROWTH. A table, a call struct or a plain struct begins with struct_size, written by its maker: a field exists if it ends
   within that size (MQB_HAS). Elements of an array have a stride and a size in the list (message.h). New fields come at the end,
   are plain data whose zero means "not said", never own anything and are never required. A struct that you make is zeroed before
   it is filled; in one that you are given you write single fields, never struct_size and nothing reserved. mqb_text, mqb_buffer,
   mqb_list, mqb_call and the handles (mqb_consumer, mqb_publisher, mqb_store, mqb_host) never grow. New values of an enumeration
   may appear: an unknown status counts as RETRY from send and create, as BAD_CONFIG from promises, and as DISCONNECTED
   elsewhere; an unknown event is ignored.

   PROCESS. A plugin is a guest: it forks only to exec, leaves signal handlers and masks as it found them, blocks signals in its
   own threads, opens libraries with RTLD_LOCAL, and never changes locale, environment, working directory, umask or standard
   streams. No C++ exception, longjmp or thread cancellation crosses this interface. */
#ifndef MQB_STATUS_H
#define MQB_STATUS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The candidate number of this ABI. While it is not zero, a host loads only plugins of the same number (plugin.h). */
#define MQB_ABI_DRAFT 1u

/* The answer of a call. Classes steer the host; text for people goes through `explain` (call.h). */
typedef int32_t mqb_status;
enum {
    MQB_OK = 0,           /* DONE. The result is in the caller's struct; `done` is not called. */
    MQB_PENDING = 1,      /* Only as the answer of a start: `done` comes once, on any thread. */
    MQB_RETRY = 2,        /* Not now; the same call may succeed later. */
    MQB_REJECTED = 3,     /* Never, with this input. */
    MQB_BAD_CONFIG = 4,   /* Never, with this configuration: the route stops. */
    MQB_DISCONNECTED = 5, /* The host cancels what is in flight on this handle and waits for it, backs off, and calls connect on
                             the same handle again. Until that answers OK it calls only free_batch and free. */
    MQB_END = 6,          /* receive: no more will come; with `drain`: nothing is there now. */
    MQB_CANCELLED = 7,    /* Ended by `cancel`. receive: nothing was taken. send, settle, apply: the outcomes say what was done. */
    MQB_UNSUPPORTED = 8   /* What a null or missing optional slot answers, and an unknown control id. */
};

/* UTF-8, no terminator. data may be null when size is 0. Never grows. */
typedef struct mqb_text {
    const char *data;
    size_t size;
} mqb_text;

/* True if the maker of *p knew the field. p: a table, a plain struct, or the head of a call: MQB_HAS(mqb_send, &s->call, answer) */
#define MQB_HAS(type, p, field) ((p)->struct_size >= offsetof(type, field) + sizeof(((type *)0)->field))

#ifdef __cplusplus
}
#endif
#endif
