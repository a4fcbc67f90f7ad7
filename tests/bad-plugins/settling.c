/* settling.c: what becomes of the messages that the consumer has given. */
#include "core.h"

#include <unistd.h>

/* What an entry comes to. Lock held. */
static int32_t settle_one(source *s, batch *b, const mqb_entry *e) {
#ifdef FAULT_SETTLES_NOTHING
    (void)s, (void)b, (void)e;
    return MQB_SETTLE_RETRY;
#elif defined FAULT_FORGETS_SETTLES
    (void)s, (void)b, (void)e;
    return MQB_SETTLE_OK; /* says so, and does not do it */
#else
    if (s->unit != MQB_UNIT_BATCH && zoo_lane_is_over(s, b->messages[e->index].lane)) return MQB_SETTLE_GONE;
#ifdef FAULT_KEEPS_REPLY
    if (e->reply) s->reply = e->reply;
#endif
    if (e->disposition == MQB_REPLY_MORE) return MQB_SETTLE_OK;
    b->settled[e->index] = e->disposition == MQB_NACK ? 2 : 1; /* the messages stay valid until free_batch */
    if (e->disposition == MQB_NACK) b->items[e->index]->not_before = zoo_now(s->host) + e->delay_ns;
#ifdef FAULT_NACKS_AT_ONCE
    b->items[e->index]->not_before = 0;
#endif
    return MQB_SETTLE_OK;
#endif
}
#ifdef FAULT_SETTLE_COMPLETES_TWICE
static void *settled_twice(void *call) {
    usleep(2000);
    void (*done)(mqb_call *, mqb_status) = ((mqb_call *)call)->done;
    done(call, MQB_OK);
    done(call, MQB_OK);
    return NULL;
}
#endif
mqb_status zoo_settle(mqb_consumer *self, mqb_settle *c) {
    source *s = (source *)self;
    batch *b = c->batch;
    zoo_hook(AT_SETTLE);
    pthread_mutex_lock(&zoo_lock);
    s->given = 0;
    for (uint32_t k = 0; k < c->entries.count; ++k) {
        int32_t result = settle_one(s, b, mqb_entry_at(&c->entries, k));
#ifdef FAULT_BATCH_OF_MIXED_OUTCOMES
        if (s->unit == MQB_UNIT_BATCH && k % 2) result = MQB_SETTLE_RETRY;
#endif
        mqb_outcome_at(&c->outcomes, k)->result = result;
    }
    pthread_mutex_unlock(&zoo_lock);
#ifdef FAULT_SETTLE_COMPLETES_TWICE
    if (s->settler) pthread_join(s->settler, NULL);
    pthread_create(&s->settler, NULL, settled_twice, &c->call);
    return MQB_PENDING;
#else
    return MQB_OK;
#endif
}

void zoo_free_batch(mqb_consumer *self, void *p) {
    source *s = (source *)self;
    batch *b = p;
    zoo_hook(AT_FREE_BATCH);
    pthread_mutex_lock(&zoo_lock);
#ifdef FAULT_KEEPS_REPLY
    if (s->reply) s->last_lane += s->reply->lane; /* that reply was lent for the settle only */
#endif
    uint64_t first = b->count ? b->messages[0].lane : 0;
    (void)first;
    for (uint32_t k = b->count; k-- > 0;) {
        if (b->settled[k] == 1) {
            zoo_release(&b->items[k]->owner);
            continue;
        }
        if (b->settled[k] == 0) {
#ifdef FAULT_REDELIVERS_NOTHING
            zoo_release(&b->items[k]->owner);
            continue;
#elif defined FAULT_PURGES_ONE_LANE
            if (b->messages[k].lane != first) continue;
#endif
#ifndef FAULT_PREFIX_LANE_LIVES_ON
            if (s->unit == MQB_UNIT_PREFIX) zoo_kill_lane(s, b->messages[k].lane);
#endif
        }
        zoo_back(s->topic, b->items[k]);
    }
    pthread_mutex_unlock(&zoo_lock);
    free(b->settled);
    free(b->items);
    free(b);
}
