/* status.h: the words of the plugin ABI, its rules for threads, ownership and growth, and the status classes.

   Read in this order: status.h, message.h, metadata.h, call.h, consumer.h, publisher.h, store.h, host.h, plugin.h.
   Everything is C11 and C++11, plain data and function pointers; docs/abi.md explains it to an author.

   THREAD WORDS. Every function of this ABI carries one.
     [any]     from any thread, also two at once.
     [serial]  one call at a time for each handle, on whichever thread; operations overlap, calls do not. A call happens after
               the previous [serial] call of the handle returned, so no lock is needed to see what that one wrote.
     [call]    only inside another call, where the text names it.
   A middleware gets everything [serial]: starts, cancels, lanes_ending, the completions of its inner operations and timers.

   OWNERSHIP, in four sentences. Whoever made a thing frees it, through the function declared beside it. What a call struct
   points to is the caller's and stays valid until the answer is known (DONE or an error: until the start returns; PENDING:
   until `done` is called). What the callee passes to a function of the call struct (explain, answer, found) is borrowed for
   that call. Payloads and metadata are counted buffers and may be kept longer by retaining their owner.

   GROWTH. A table, a call struct or a plain struct begins with struct_size, written by its maker: a field exists if it ends
   within that size. Elements of an array have a stride and a size in the list (message.h). New fields are plain data whose
   zero means "not said"; they never carry a count and are never required. Structs are zeroed before they are filled.
   mqb_text, mqb_buffer and mqb_list never grow. New values of an enumeration may appear: an unknown status counts as RETRY from
   send and create, as BAD_CONFIG from promises, and as DISCONNECTED elsewhere; an unknown event is ignored.

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
    MQB_DISCONNECTED = 5, /* The host waits for what is in flight, backs off, and calls connect on the same handle again. */
    MQB_END = 6,          /* receive: no more will come; with `drain`: nothing is there now. */
    MQB_CANCELLED = 7,    /* Ended by `cancel`, with nothing taken and nothing done. */
    MQB_UNSUPPORTED = 8   /* What a null or missing optional slot answers, and an unknown control id. */
};

/* UTF-8, no terminator. data may be null when size is 0. Never grows. */
typedef struct mqb_text {
    const char *data;
    size_t size;
} mqb_text;

#ifdef __cplusplus
}
#endif
#endif
