/* store.h: a map of keys to versioned, expiring values, for de-duplication, aggregates, checkpoints and caches. */
#ifndef MQB_STORE_H
#define MQB_STORE_H
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an entry asks for. */
enum { MQB_GET = 0, MQB_PUT = 1, MQB_RENEW = 2, MQB_DELETE = 3, MQB_SCAN = 4 };
/* When a PUT or DELETE is carried out. */
enum { MQB_ALWAYS = 0, MQB_IF_ABSENT = 1, MQB_IF_VERSION = 2 };
/* Result of an entry. The zero is what an entry has that nobody wrote. */
enum { MQB_STORE_NOT_DONE = 0, MQB_STORE_OK = 1, MQB_STORE_ABSENT = 2, MQB_STORE_CONFLICT = 3 };

typedef struct mqb_store_entry {
    int32_t verb;
    int32_t condition;
    uint64_t version;   /* IF_VERSION */
    uint64_t expiry_ns; /* PUT, RENEW: from now; 0: never */
    mqb_text key;       /* any bytes, 1 to 65535 of them; SCAN: the prefix, may be empty */
    mqb_buffer value;   /* PUT; SCAN: the key after which to begin */
    uint32_t limit;     /* SCAN: at most so many; at least 1 */
    uint32_t reserved;
} mqb_store_entry;
static inline const mqb_store_entry *mqb_store_entry_at(const mqb_list *list, uint32_t i) {
    return (const mqb_store_entry *)mqb_at(list, i);
}

/* A batch of entries with different keys, so that their order does not matter. Each entry is atomic, the call is not. */
typedef struct mqb_apply mqb_apply;
struct mqb_apply {
    mqb_call call;
    mqb_list entries;  /* of mqb_store_entry, not to be written */
    mqb_list outcomes; /* of mqb_outcome, zeroed by the caller, same count; number: the version now */
    /* [any] What a GET or SCAN entry found, in key order for SCAN; borrowed, but value may be retained by its owner.
       expires_in_ns 0: never. */
    void (*found)(mqb_apply *apply, uint32_t index, mqb_text key, const mqb_buffer *value, uint64_t version,
                  uint64_t expires_in_ns);
};

/* A handle. Its maker embeds it in a larger struct. */
typedef struct mqb_store {
    const struct mqb_store_table *table;
} mqb_store;

/* Required slots: apply, cancel, free. */
typedef struct mqb_store_table {
    uint32_t struct_size;
    uint32_t reserved;
    mqb_status (*connect)(mqb_store *self, mqb_call *call);  /* [serial] as for a consumer */
    mqb_status (*apply)(mqb_store *self, mqb_apply *apply);  /* [serial] any number in flight */
    void (*cancel)(mqb_store *self, uint64_t operation);     /* [any] */
    void (*free)(mqb_store *self);                           /* [serial] as for a consumer */
} mqb_store_table;

#ifdef __cplusplus
}
#endif
#endif
