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

static mqb_status zoo_promises(mqb_promise *p) {
    zoo_hook(AT_PROMISES);
    if (p->side == MQB_SIDE_CONSUMER) {
        p->promises->flags = MQB_ACKNOWLEDGES | MQB_STABLE_IDENTITY;
        p->promises->settle_unit = MQB_UNIT_MESSAGE;
        p->promises->dispositions = MQB_BIT(MQB_ACK) | MQB_BIT(MQB_REJECT);
#ifdef FAULT_NACK_WITH_PREFIX
        p->promises->settle_unit = MQB_UNIT_PREFIX;
        p->promises->dispositions |= MQB_BIT(MQB_NACK);
#endif
    } else if (p->side == MQB_SIDE_PUBLISHER) {
        p->promises->flags = MQB_ORDERED | MQB_CONCURRENT;
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

static mqb_status zoo_create(mqb_create *c) {
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
    if (c->side == MQB_SIDE_CONSUMER) c->made = zoo_new_consumer(c);
    else c->made = zoo_new_publisher(c);
    return MQB_OK;
}

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
    .promises = zoo_promises,
#ifndef FAULT_NULL_CREATE
    .create = zoo_create,
#endif
};
static const mqb_factory middleware = { .struct_size = sizeof(mqb_factory), .kind = MQB_MIDDLEWARE,
    .sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER, .name = TEXT("zoo_pass"), .schema = TEXT("{\"type\":\"object\"}"), .create = zoo_pass_create };
static const mqb_factory *const factories[] = {
    &endpoint, &middleware,
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
    .name = TEXT("zoo"), .version = TEXT("1.0.0"),
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
