/* core.h: the well-behaved plugin from which every animal of the zoo is made. A topic in memory, shared inside the process: the
   publisher appends, the consumer receives, settles and gives back the rest. Endpoints: `zoo` settles any indexes, `zoo_prefix` and
   `zoo_batch` as their names say; the publisher of `zoo_later` answers later, the others at once. The middleware is `zoo_pass`.

   The lane of a sent message is its partition. A consumer gives each partition a lane of its own numbering, and a new one whenever
   that lane is over.

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
    uint64_t partition;
    uint64_t not_before; /* after a NACK; steady clock */
    uint32_t deliveries;
    int null;            /* the payload */
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
    char *settled; /* 1 done with, 2 to be delivered again */
    mqb_message messages[];
} batch;
typedef struct lane {
    struct lane *next;
    uint64_t id, partition;
    int ending, over;
} lane;
typedef struct source {
    mqb_consumer base;
    mqb_host *host;
    topic *topic;
    uint32_t unit;
    mqb_receive *asked;
    int stopped;
    pthread_t worker;   /* completes what waits, never inside a start or a cancel; ends lanes */
    pthread_cond_t changed;
    int running, cancelled, disconnected, connects;
    lane *lanes;
    uint64_t last_lane;
    uint32_t revoke;    /* lanes that `control` wants to end, next */
    uint64_t revoke_ms;
    int64_t token;      /* of the lanes that are ending; 0: none are */
    int64_t last_token;
    uint64_t deadline;
    int lanes_done;
    uint32_t given;     /* batches since the last settle */
    const mqb_message *reply; /* of a fault, as the next */
    pthread_t settler;
} source;
typedef struct sink {
    mqb_publisher base;
    mqb_host *host;
    topic *topic;
    uint32_t flags;     /* what it promises */
    int disconnected, connects;
    uint32_t sends, refused_send; /* the send of this number fails */
    int32_t refused_with;
    uint64_t broken[16];          /* lanes of which nothing more may leave */
    uint32_t broken_count;
} sink;

extern pthread_mutex_t zoo_lock; /* of all topics */
topic *zoo_topic(mqb_text config);
item *zoo_item(const mqb_message *m);
void zoo_put(topic *t, item *i);       /* at the end; lock held */
void zoo_back(topic *t, item *i);      /* at the front; lock held */
void zoo_retain(mqb_owner *o);
void zoo_release(mqb_owner *o);

uint64_t zoo_now(mqb_host *host);
long zoo_number(mqb_text json, const char *key, long otherwise); /* of an object without blanks */
int zoo_says(mqb_text json, const char *part);
int zoo_is(mqb_text id, const char *name);

lane *zoo_lane(source *s, uint64_t partition); /* the one that is alive now; lock held */
int zoo_lane_is_over(source *s, uint64_t id);  /* lock held */
void zoo_kill_lane(source *s, uint64_t id);    /* lock held */
mqb_status zoo_revoke(source *s, mqb_control *c);
void zoo_begin_ending(source *s); /* what `control` wanted; lock held, is let go meanwhile */
void zoo_end_lanes(source *s);    /* when it is time; lock held, is let go meanwhile */
void zoo_lanes_done(mqb_consumer *self, uint64_t token);
uint64_t zoo_next_time(source *s); /* at which the worker has something to do; lock held */
mqb_status zoo_start_worker(source *s);
mqb_status zoo_settle(mqb_consumer *self, mqb_settle *c);
void zoo_free_batch(mqb_consumer *self, void *batch);

void zoo_carry_out(sink *s, mqb_send *c); /* lock held */
mqb_status zoo_sink_control(mqb_publisher *self, mqb_control *c);
mqb_status zoo_sink_connect(mqb_publisher *self, mqb_call *call);
mqb_consumer *zoo_new_consumer(mqb_create *c, uint32_t unit);
mqb_publisher *zoo_new_publisher(mqb_create *c, uint32_t flags);
mqb_publisher *zoo_new_later(mqb_create *c, uint32_t flags);
mqb_status zoo_pass_create(mqb_create *c); /* the middleware */

#endif
