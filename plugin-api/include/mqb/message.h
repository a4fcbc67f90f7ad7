/* message.h: counted buffers, the message, and arrays whose elements may grow. */
#ifndef MQB_MESSAGE_H
#define MQB_MESSAGE_H
#include "status.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The owner of one block of memory, shared by any number of buffers inside it. Its maker embeds it in a larger struct. */
typedef struct mqb_owner mqb_owner;
struct mqb_owner {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t total_size; /* bytes that stay alive while one count is held; what byte budgets charge, once for each owner */
    /* [any] One more count. Also after the endpoint was freed. Does not block and calls nobody. */
    void (*retain)(mqb_owner *self);
    /* [any] One count less; the last one frees. Also after the endpoint was freed. Does not block, does not call the host: an
       owner that pins a client defers the client's end to a thread of the plugin. */
    void (*release)(mqb_owner *self);
};

/* Immutable bytes. data null: there is none (a payload: a tombstone). data set and size 0: an empty one.
   owner null: not countable; whoever keeps it longer than the struct or call that carries it copies it. Never grows. */
typedef struct mqb_buffer {
    const uint8_t *data;
    size_t size;
    mqb_owner *owner;
} mqb_buffer;

/* One message. Its buffers are borrowed from whoever gave the message; retain their owners to keep them. */
typedef struct mqb_message {
    uint8_t id[16];          /* UUIDv7, or the stable identity of the source; all zero: the receiver of the message makes one */
    /* Partition, queue, file. 0 only if the consumer has one lane for its whole life. A lane that is over is never used again by the
       same handle, whatever it connects to: after LANES_ENDED, or with PREFIX after a settle of it answered GONE or a free_batch
       killed it, what the source delivers again comes under a new id. */
    uint64_t lane;
    uint32_t delivery_count; /* how often the source has delivered it, this time included; 0: not known */
    uint32_t struct_size;    /* of a message that crosses alone (a reply, an answer); 0: 80, its first size. In a list the list's
                                size counts, and this says nothing */
    mqb_buffer payload;
    mqb_buffer metadata;     /* one block (metadata.h); size 0: none */
} mqb_message;

/* An array. stride: the way from one element to the next; size: how many bytes of an element mean something, never more than
   stride (a checking host poisons the rest). A field exists if it ends within size. Reach elements through the accessors, set
   and read fields, and never copy a whole element by assignment: it may be shorter than your struct. Never grows. */
typedef struct mqb_list {
    void *first;
    uint32_t count;
    uint16_t stride;
    uint16_t size;
} mqb_list;

/* [any] A list over an ordinary array of `count` elements of `size` bytes each. */
static inline mqb_list mqb_list_of(void *first, uint32_t count, size_t size) {
    mqb_list list;
    list.first = first;
    list.count = count;
    list.stride = (uint16_t)size;
    list.size = (uint16_t)size;
    return list;
}
/* [any] Element i, which must be below count. */
static inline void *mqb_at(const mqb_list *list, uint32_t i) { return (char *)list->first + (size_t)i * list->stride; }
static inline const mqb_message *mqb_message_at(const mqb_list *list, uint32_t i) {
    return (const mqb_message *)mqb_at(list, i);
}

/* [any] Copies element i, as much of it as both sides know; the rest of *to becomes zero. Takes no count. */
static inline void mqb_message_copy(const mqb_list *list, uint32_t i, mqb_message *to) {
    memset(to, 0, sizeof *to);
    memcpy(to, mqb_at(list, i), list->size < sizeof *to ? list->size : sizeof *to);
}
/* [any] One count more, or less, for both buffers. A buffer without owner is left alone: copy it first if you keep it. */
static inline void mqb_message_retain(const mqb_message *m) {
    if (m->payload.owner) m->payload.owner->retain(m->payload.owner);
    if (m->metadata.owner) m->metadata.owner->retain(m->metadata.owner);
}
static inline void mqb_message_release(const mqb_message *m) {
    if (m->payload.owner) m->payload.owner->release(m->payload.owner);
    if (m->metadata.owner) m->metadata.owner->release(m->metadata.owner);
}

#ifdef __cplusplus
}
#endif
#endif
