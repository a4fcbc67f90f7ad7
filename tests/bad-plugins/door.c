/* door.c: descriptor, factory, promises and create of the zoo. */
#include "core.h"

#include <stdio.h>
#include <unistd.h>

#ifdef FAULT_PRINTS_IN_CONSTRUCTOR
__attribute__((constructor)) static void print(void) { puts("the zoo is open"); }
#endif
#ifdef FAULT_ABORTS_IN_CONSTRUCTOR
__attribute__((constructor)) static void stop(void) { abort(); }
#endif
#if defined FAULT_THREAD_IN_CONSTRUCTOR || defined FAULT_THREAD_IN_CREATE
static void *idle(void *p) { for (;;) pause(); return p; }
#endif
#ifdef FAULT_THREAD_IN_CONSTRUCTOR
__attribute__((constructor)) static void begin(void) {
    pthread_t t;
    pthread_create(&t, NULL, idle, NULL);
}
#endif

/* An endpoint of the zoo. */
typedef struct species {
    uint32_t unit, dispositions, max_messages, max_batches, publisher;
    int later;
} species;
static const species usual = { MQB_UNIT_MESSAGE,
    MQB_BIT(MQB_ACK) | MQB_BIT(MQB_NACK) | MQB_BIT(MQB_REJECT) | MQB_BIT(MQB_REPLY) | MQB_BIT(MQB_REPLY_MORE), 0, 0, MQB_ORDERED | MQB_CONCURRENT, 0 };
static const species by_prefix = { MQB_UNIT_PREFIX, MQB_BIT(MQB_ACK) | MQB_BIT(MQB_REJECT), 12, 0, MQB_ORDERED, 0 };
static const species by_batch = { MQB_UNIT_BATCH, MQB_BIT(MQB_ACK), 0, 2, MQB_ORDERED | MQB_TRANSACTIONAL, 0 };
static const species later = { MQB_UNIT_MESSAGE, MQB_BIT(MQB_ACK), 0, 0, MQB_ORDERED | MQB_CONCURRENT | MQB_ORDERED_RETRY, 1 };

static mqb_status promise(mqb_promise *p, const species *of) {
    zoo_hook(AT_PROMISES);
    if (p->side == MQB_SIDE_CONSUMER) {
        p->promises->flags = MQB_ACKNOWLEDGES | MQB_STABLE_IDENTITY;
        p->promises->settle_unit = of->unit;
        p->promises->dispositions = of->dispositions;
        p->promises->max_unsettled_messages = of->max_messages;
        p->promises->max_unsettled_batches = of->max_batches;
#ifdef FAULT_NACK_WITH_PREFIX
        p->promises->settle_unit = MQB_UNIT_PREFIX;
        p->promises->dispositions |= MQB_BIT(MQB_NACK);
#endif
    } else if (p->side == MQB_SIDE_PUBLISHER) {
        p->promises->flags = of->publisher;
#ifdef FAULT_FALSE_IDEMPOTENT
        p->promises->flags |= MQB_IDEMPOTENT;
#endif
    }
#ifdef FAULT_PROMISES_CHANGE
    static int asked;
    p->promises->flags ^= ++asked & MQB_NEEDS_POLLING;
    p->promises->holds_batches = (uint32_t)asked;
#endif
    return MQB_OK;
}
static mqb_status make(mqb_create *c, const species *of) {
    zoo_hook(AT_CREATE);
#ifdef FAULT_EVENT_IN_CREATE
    mqb_event e = { .struct_size = sizeof e, .kind = MQB_STATE, .text = TEXT("born"), .number = 1 };
    c->host->table->event(c->host, &e);
#endif
#ifdef FAULT_THREAD_IN_CREATE
    pthread_t t;
    pthread_create(&t, NULL, idle, NULL);
#endif
#ifdef FAULT_MAKES_NOTHING
    return MQB_OK;
#endif
    if (c->side == MQB_SIDE_CONSUMER) c->made = zoo_new_consumer(c, of->unit);
    else if (of->later) c->made = zoo_new_later(c, of->publisher);
    else c->made = zoo_new_publisher(c, of->publisher);
    return MQB_OK;
}
#define SPECIES(name) \
    static mqb_status name##_promises(mqb_promise *p) { return promise(p, &name); } \
    static mqb_status name##_create(mqb_create *c) { return make(c, &name); }
SPECIES(usual)
SPECIES(by_prefix)
SPECIES(by_batch)
SPECIES(later)

#ifdef FAULT_BAD_SCHEMA
#define SCHEMA "{\"type\":\"object\",\"properties\":"
#elif defined FAULT_SCHEMA_DEFAULT_OF_WRONG_TYPE
#define SCHEMA "{\"type\":\"object\",\"properties\":{\"topic\":{\"type\":\"string\",\"default\":7,\"description\":\"name\"}}}"
#else
#define SCHEMA "{\"type\":\"object\",\"properties\":{\"topic\":{\"type\":\"string\",\"default\":\"zoo\",\"description\":\"name\"}}}"
#endif

static const mqb_factory endpoint = {
#ifdef FAULT_SHORT_FACTORY
    .struct_size = offsetof(mqb_factory, promises),
#else
    .struct_size = sizeof(mqb_factory),
#endif
    .kind = MQB_ENDPOINT, .sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER, .name = TEXT("zoo"), .schema = TEXT(SCHEMA),
    .promises = usual_promises,
#ifndef FAULT_NULL_CREATE
    .create = usual_create,
#endif
};
#define ENDPOINT(species, called) \
    static const mqb_factory endpoint_##species = { .struct_size = sizeof(mqb_factory), .kind = MQB_ENDPOINT, \
        .sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER, .name = TEXT(called), .schema = TEXT(SCHEMA), .promises = species##_promises, \
        .create = species##_create };
ENDPOINT(by_prefix, "zoo_prefix")
ENDPOINT(by_batch, "zoo_batch")
ENDPOINT(later, "zoo_later")
static const mqb_factory middleware = { .struct_size = sizeof(mqb_factory), .kind = MQB_MIDDLEWARE,
    .sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER, .name = TEXT("zoo_pass"), .schema = TEXT("{\"type\":\"object\"}"), .create = zoo_pass_create };
static const mqb_factory *const factories[] = {
    &endpoint, &middleware, &endpoint_by_prefix, &endpoint_by_batch, &endpoint_later,
#ifdef FAULT_NULL_FACTORY
    NULL,
#endif
#ifdef FAULT_TWO_OF_ONE_NAME
    &endpoint,
#endif
};
static const mqb_plugin plugin = {
#ifdef FAULT_SHORT_DESCRIPTOR
    .struct_size = offsetof(mqb_plugin, factories),
#else
    .struct_size = sizeof(mqb_plugin),
#endif
#ifdef FAULT_DRAFT_BEFORE
    .draft = MQB_ABI_DRAFT - 1,
#elif defined FAULT_DRAFT_AFTER
    .draft = MQB_ABI_DRAFT + 1,
#else
    .draft = MQB_ABI_DRAFT,
#endif
#ifdef FAULT_NAME_IS_LATIN
    .name = TEXT("zo\xf6"),
#else
    .name = TEXT("zoo"),
#endif
    .version = TEXT("1.0.0"),
#ifndef FAULT_NO_LICENCE
    .licence = TEXT("MIT"),
#endif
    .factories = factories, .factory_count = sizeof factories / sizeof factories[0]
};

#ifdef FAULT_NO_SYMBOL
const mqb_plugin *zoo_plugin(void);
const mqb_plugin *zoo_plugin(void) { return &plugin; }
#else
const mqb_plugin *mqb_plugin_v1(void) {
#ifdef FAULT_NULL_DESCRIPTOR
    (void)plugin;
    return NULL;
#elif defined FAULT_OTHER_POINTER
    mqb_plugin *copy = malloc(sizeof *copy);
    return memcpy(copy, &plugin, sizeof plugin);
#else
    return &plugin;
#endif
}
#endif
#ifdef FAULT_EXPORTS_MORE
MQB_EXPORT int zoo_more(void);
int zoo_more(void) { return 1; }
#endif
