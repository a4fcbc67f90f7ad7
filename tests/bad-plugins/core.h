/* core.h: the well-behaved plugin from which every animal of the zoo is made. Endpoint `zoo`, a topic in memory, shared inside the
   process: the publisher appends, the consumer receives, settles any indexes (or prefixes, for one fault) and gives back the rest.

   Each animal is this plugin with one fault; FAULT_<NAME> is defined by the build, and the hooks below are where faults sit. */
#ifndef ZOO_CORE_H
#define ZOO_CORE_H
#include "hook.h"

#include <mqb/plugin.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TEXT(literal) { literal, sizeof(literal) - 1 }

/* One message of the topic, a block with its owner in front. */
typedef struct item {
    mqb_owner owner;
    atomic_uint count;
    struct item *next;
    uint8_t id[16];
    uint64_t lane;
    uint32_t deliveries;
    int null;           /* the payload */
    size_t payload, metadata;
    const uint8_t *bytes; /* payload, then metadata; behind this struct, except where a fault keeps what was borrowed */
    const uint8_t *meta;
} item;
typedef struct topic {
    struct topic *next;
    char name[128];
    item *first, **last;
    struct source *waiting; /* the consumer whose receive waits */
} topic;
typedef struct batch {
    uint32_t count;
    item **items;
    char *settled;
    mqb_message messages[];
} batch;
typedef struct source {
    mqb_consumer base;
    mqb_host *host;
    topic *topic;
    mqb_receive *asked;
    int stopped;
    pthread_t worker;   /* completes what waits: never inside a start or a cancel */
    pthread_cond_t changed;
    int running, cancelled;
} source;
typedef struct sink {
    mqb_publisher base;
    mqb_host *host;
    topic *topic;
} sink;

extern pthread_mutex_t zoo_lock; /* of all topics */
topic *zoo_topic(mqb_text config);
item *zoo_item(const mqb_message *m);
void zoo_put(topic *t, item *i);       /* at the end; lock held */
void zoo_back(topic *t, item *i);      /* at the front; lock held */
void zoo_retain(mqb_owner *o);
void zoo_release(mqb_owner *o);

extern const mqb_consumer_table zoo_consumer;
extern const mqb_publisher_table zoo_publisher;
mqb_consumer *zoo_new_consumer(mqb_create *c);
mqb_publisher *zoo_new_publisher(mqb_create *c);
mqb_status zoo_pass_create(mqb_create *c); /* the middleware */

#endif
