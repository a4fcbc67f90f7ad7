/* plugin.h: the door. What a plugin is, what it offers, what it promises, and how an instance is made. */
#ifndef MQB_PLUGIN_H
#define MQB_PLUGIN_H
#include "consumer.h"
#include "host.h"
#include "metadata.h"
#include "publisher.h"
#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of factories, and the sides of an endpoint or middleware (bits). Handlers and stores have no side: 0. */
enum { MQB_ENDPOINT = 1, MQB_MIDDLEWARE = 2, MQB_HANDLER = 3, MQB_STORE = 4 };
enum { MQB_SIDE_CONSUMER = 1, MQB_SIDE_PUBLISHER = 2 };

/* How a consumer settles. */
enum {
    MQB_UNIT_MESSAGE = 0, /* any indexes in any order */
    MQB_UNIT_PREFIX = 1,  /* for each lane in order of receipt; every index is named */
    MQB_UNIT_BATCH = 2    /* one call names every index of a batch */
};
enum {
    /* consumer */
    MQB_ACKNOWLEDGES = 1,      /* what is freed unsettled comes again */
    MQB_STABLE_IDENTITY = 2,   /* a message that comes again has the same id */
    MQB_FINITE = 4,            /* END comes by itself */
    MQB_NEEDS_POLLING = 8,     /* receive may answer OK without messages */
    MQB_EMPTIED_AT_STOP = 1024, /* what is not received before free is lost: the host that stops receives with drain until END or
                                   the end of its shutdown time */
    /* publisher */
    MQB_RESPONDS = 16,         /* uses `answer` */
    MQB_ORDERED = 32,          /* messages arrive in the order in which their sends were started */
    MQB_ORDERED_RETRY = 64,    /* after the first entry that is neither DONE nor REFUSED, all later entries of that lane, in this
                                  send and in those already started, come back UNSENT */
    MQB_CONCURRENT = 128,      /* several sends may be in flight */
    MQB_IDEMPOTENT = 256,      /* the same message sent again has no further effect */
    MQB_TRANSACTIONAL = 512    /* a send is done whole or not at all */
};

/* What an instance of this configuration keeps to. The kit checks it; the host computes a route's guarantee from it. */
typedef struct mqb_promises {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t settle_unit;
    uint32_t dispositions;           /* MQB_BIT(MQB_ACK) | … */
    uint32_t max_unsettled_messages; /* 0: no limit */
    uint32_t max_unsettled_batches;  /* 0: no limit */
    uint32_t holds_messages;         /* middleware on an input: the most it keeps unsettled beyond what it has given on */
    uint32_t holds_batches;
} mqb_promises;

/* A handle that the host made and lends: the inner side of a middleware, a nested endpoint or store. Valid until the borrower's
   free returns. The borrower never calls its connect, control, lanes_done, lanes_ending or free. */
typedef struct mqb_child {
    uint32_t kind;  /* MQB_SIDE_CONSUMER or MQB_SIDE_PUBLISHER, or 0 for a store */
    uint32_t reserved;
    mqb_text path;  /* JSON pointer into the configuration; empty: the inner side of a middleware, always child 0 */
    void *handle;   /* mqb_consumer *, mqb_publisher * or mqb_store * */
} mqb_child;
static inline const mqb_child *mqb_child_at(const mqb_list *list, uint32_t i) { return (const mqb_child *)mqb_at(list, i); }

/* Asks a factory what an instance would promise, and whether the configuration makes sense beyond its schema. */
typedef struct mqb_promise {
    mqb_call call;          /* explain only; operation 0 */
    mqb_text config;        /* as in mqb_create */
    uint32_t side;
    uint32_t reserved;
    /* Endpoint, handler, store: in, zero but for its size. Middleware: in, the inner side's. Out: the answer. Flags and
       dispositions that the host's header does not know are cleared by the host. */
    mqb_promises *promises;
} mqb_promise;

/* Makes one instance. */
typedef struct mqb_create {
    mqb_call call;           /* explain only; operation 0 */
    mqb_host *host;          /* valid until the instance's free has returned */
    mqb_text config;         /* JSON, valid against the schema, defaults filled in, templates as numbers */
    uint32_t side;           /* MQB_SIDE_…, or 0 */
    uint32_t drain;          /* not 0: the route ends at the end of its input */
    uint32_t concurrency;    /* of the route */
    uint32_t batch_messages; /* of the route */
    uint64_t byte_budget;    /* of the route, in flight */
    mqb_text route;          /* for names and logs */
    mqb_text path;           /* of the endpoint in the route file */
    mqb_text instance;       /* unique in this process */
    mqb_text directory;      /* private to this endpoint of this route, kept between runs; empty: none */
    mqb_list children;       /* of mqb_child */
    void *made;              /* answer, with OK: mqb_consumer *, mqb_publisher * (also for a handler) or mqb_store * */
} mqb_create;

typedef struct mqb_factory {
    uint32_t struct_size;
    uint32_t kind;
    uint32_t sides;
    uint32_t reserved;
    mqb_text name;    /* the key in a route file: [a-z][a-z0-9_]* */
    mqb_text schema;  /* JSON Schema of the configuration; docs/abi.md lists the keywords and extensions */
    /* [any] Pure: no I/O, no state, nothing of the host. BAD_CONFIG with `explain`: this configuration makes no sense.
       Null: promises nothing; a middleware keeps what the inner side promises. */
    mqb_status (*promises)(mqb_promise *promise);
    /* [any] No I/O, starts no thread, registers nothing outside the instance. Calls nothing of the host but log, log_level, now
       and table_of. May block a little: it runs on a thread of its own. Errors: BAD_CONFIG stops the route, any other is tried
       again; nothing is kept of a failed create. */
    mqb_status (*create)(mqb_create *create);
} mqb_factory;

typedef struct mqb_plugin {
    uint32_t struct_size;
    uint32_t draft;   /* MQB_ABI_DRAFT of the header that it was built with; 0 from the first frozen header on */
    mqb_text name;    /* of the library libmqb_<name>.so */
    mqb_text version;
    mqb_text licence; /* SPDX */
    const mqb_factory *const *factories; /* pointers, so that each has its own size */
    uint32_t factory_count;
    uint32_t reserved;
    const void *(*table)(mqb_text id);   /* [any] optional tables; their functions take a handle of this plugin. Null: none. */
} mqb_plugin;

#if defined(__GNUC__)
#define MQB_EXPORT __attribute__((visibility("default")))
#else
#define MQB_EXPORT
#endif
/* [any] The one exported symbol. Runs nothing: returns the same pointer to static const data for ever, never null. */
MQB_EXPORT const mqb_plugin *mqb_plugin_v1(void);

#ifdef __cplusplus
}
#endif
#endif
