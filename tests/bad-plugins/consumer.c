/* consumer.c: the consumer of the zoo. A receive that finds nothing waits for a thread, which completes it. */
#include "core.h"

#include <unistd.h>

/* Takes what is there into the call. Lock held, the topic is not empty. */
static void give(source *s, mqb_receive *r) {
    uint32_t n = 0;
    uint64_t bytes = 0;
    for (item *i = s->topic->first; i && n < r->max_messages; i = i->next, ++n) {
        if (n && r->max_bytes && bytes + i->payload > r->max_bytes) break;
        bytes += i->payload;
    }
#ifdef FAULT_IGNORES_LIMITS
    n = 0;
    for (item *i = s->topic->first; i; i = i->next) ++n;
#endif
    batch *b = calloc(1, sizeof *b + n * sizeof b->messages[0]);
    b->items = calloc(n, sizeof *b->items);
    b->settled = calloc(n, 1);
    b->count = n;
    for (uint32_t k = 0; k < n; ++k) {
        item *i = s->topic->first;
        s->topic->first = i->next;
        if (!s->topic->first) s->topic->last = &s->topic->first;
        b->items[k] = i;
        mqb_message *m = &b->messages[k];
        memcpy(m->id, i->id, 16);
#ifdef FAULT_NEW_IDENTITY
        m->id[15] ^= (uint8_t)++i->deliveries;
#endif
        m->lane = i->lane;
        m->payload = (mqb_buffer){ i->null ? NULL : i->bytes, i->payload, &i->owner };
        m->metadata = (mqb_buffer){ i->metadata ? i->meta : NULL, i->metadata, &i->owner };
#ifdef FAULT_BAD_METADATA
        m->metadata.size -= m->metadata.size > 0;
#endif
    }
    r->messages = mqb_list_of(b->messages, n, sizeof b->messages[0]);
    r->batch = b;
}

/* Completes the receive that waits, when there is something, or it is cancelled. */
static void *work(void *p) {
    source *s = p;
    pthread_mutex_lock(&zoo_lock);
    for (;;) {
        while (!s->stopped && !(s->asked && (s->cancelled || s->topic->first))) pthread_cond_wait(&s->changed, &zoo_lock);
        if (s->stopped) break;
        mqb_receive *r = s->asked;
        mqb_status status = MQB_OK;
        s->asked = NULL;
        s->topic->waiting = NULL;
#ifdef FAULT_LOSES_ON_CANCEL
        if (s->cancelled) { /* what arrives on the way to the broker and back is taken and not given */
            pthread_mutex_unlock(&zoo_lock);
            usleep(3000);
            pthread_mutex_lock(&zoo_lock);
        }
        if (s->cancelled && s->topic->first) {
            give(s, r);
            status = MQB_CANCELLED;
        } else
#endif
        if (s->topic->first) give(s, r);
        else status = MQB_CANCELLED;
        s->cancelled = 0;
        pthread_mutex_unlock(&zoo_lock);
#ifdef FAULT_NEVER_COMPLETES
        (void)status;
#else
#ifdef FAULT_EXPLAINS_LATE
        void (*explain)(mqb_call *, uint32_t, mqb_text) = r->call.explain;
        r->call.done(&r->call, status);
        explain(&r->call, MQB_WHOLE_CALL, (mqb_text)TEXT("too late"));
#else
        r->call.done(&r->call, status);
#endif
#endif
#ifdef FAULT_COMPLETES_TWICE
        r->call.done(&r->call, status);
#endif
        pthread_mutex_lock(&zoo_lock);
    }
    pthread_mutex_unlock(&zoo_lock);
    return NULL;
}

#ifdef FAULT_COMPLETES_LATE
static void *late(void *call) { usleep(50000); ((mqb_call *)call)->done(call, MQB_CANCELLED); return NULL; }
#endif
static mqb_status zoo_receive(mqb_consumer *self, mqb_receive *r) {
    source *s = (source *)self;
    mqb_status status = MQB_OK;
    zoo_hook(AT_RECEIVE);
    pthread_mutex_lock(&zoo_lock);
    if (s->topic->first) give(s, r);
    else if (r->drain) status = MQB_END;
    else {
        s->asked = r;
        s->cancelled = 0;
        s->topic->waiting = s;
        status = MQB_PENDING;
        if (!s->running) s->running = pthread_create(&s->worker, NULL, work, s) == 0;
    }
#ifdef FAULT_COMPLETES_INSIDE_START
    if (status == MQB_PENDING) {
        s->asked = NULL;
        r->call.done(&r->call, MQB_CANCELLED);
    }
#endif
#ifdef FAULT_DONE_AND_COMPLETES
    if (status == MQB_OK) r->call.done(&r->call, MQB_OK);
#endif
#ifdef FAULT_UNKNOWN_STATUS
    if (status == MQB_OK) status = 4711;
#endif
    pthread_mutex_unlock(&zoo_lock);
    return status;
}

static mqb_status zoo_settle(mqb_consumer *self, mqb_settle *c) {
    source *s = (source *)self;
    batch *b = c->batch;
    zoo_hook(AT_SETTLE);
    pthread_mutex_lock(&zoo_lock);
    for (uint32_t k = 0; k < c->entries.count; ++k) {
        const mqb_entry *e = mqb_entry_at(&c->entries, k);
#ifdef FAULT_SETTLES_NOTHING
        (void)e, (void)s, (void)b;
#elif defined FAULT_FORGETS_SETTLES
        mqb_outcome_at(&c->outcomes, k)->result = MQB_SETTLE_OK; /* says so, and does not do it */
        (void)e, (void)s, (void)b;
#else
        (void)s;
        b->settled[e->index] = 1; /* the messages stay valid until free_batch */
        mqb_outcome_at(&c->outcomes, k)->result = MQB_SETTLE_OK;
#endif
    }
    pthread_mutex_unlock(&zoo_lock);
    return MQB_OK;
}

static void zoo_free_batch(mqb_consumer *self, void *p) {
    source *s = (source *)self;
    batch *b = p;
    zoo_hook(AT_FREE_BATCH);
    pthread_mutex_lock(&zoo_lock);
    uint64_t lane = b->count ? b->messages[0].lane : 0;
    (void)lane, (void)s;
    for (uint32_t k = b->count; k-- > 0;) {
        if (b->settled[k]) {
            zoo_release(&b->items[k]->owner);
            continue;
        }
#ifdef FAULT_REDELIVERS_NOTHING
        zoo_release(&b->items[k]->owner);
#elif defined FAULT_PURGES_ONE_LANE
        if (b->messages[k].lane == lane) zoo_back(s->topic, b->items[k]);
#else
        zoo_back(s->topic, b->items[k]);
#endif
    }
    pthread_mutex_unlock(&zoo_lock);
    free(b->settled);
    free(b->items);
    free(b);
}

static void zoo_cancel(mqb_consumer *self, uint64_t operation) {
    source *s = (source *)self;
    zoo_hook(AT_CANCEL);
    pthread_mutex_lock(&zoo_lock);
    if (s->asked && s->asked->call.operation == operation) {
#ifdef FAULT_COMPLETES_INSIDE_CANCEL
        mqb_receive *r = s->asked;
        s->asked = NULL;
        r->call.done(&r->call, MQB_CANCELLED);
#elif defined FAULT_COMPLETES_LATE
        pthread_t t;
        pthread_create(&t, NULL, late, s->asked);
        pthread_detach(t);
        s->cancelled = 1;
#else
        s->cancelled = 1;
#endif
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&zoo_lock);
}

#ifdef FAULT_CALLS_HOST_AFTER_FREE
static void *call_later(void *host) {
    usleep(20000);
    ((mqb_host *)host)->table->log(host, MQB_LOG_INFO, (mqb_text)TEXT("still here"));
    return NULL;
}
#endif
static void zoo_free(mqb_consumer *self) {
    source *s = (source *)self;
    zoo_hook(AT_FREE);
#ifdef FAULT_LEAVES_THREAD
    if (s->running) return; /* and leaves the instance, since the thread looks at it */
#endif
    pthread_mutex_lock(&zoo_lock);
    s->stopped = 1;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&zoo_lock);
    if (s->running) pthread_join(s->worker, NULL);
#ifdef FAULT_CALLS_HOST_AFTER_FREE
    pthread_t t;
    pthread_create(&t, NULL, call_later, s->host);
    pthread_detach(t);
#endif
    free(s);
}

static mqb_status zoo_connect(mqb_consumer *self, mqb_call *call) { (void)self, (void)call; return zoo_hook(AT_CONNECT), MQB_OK; }
static mqb_status zoo_control(mqb_consumer *self, mqb_control *c) { (void)self, (void)c; return zoo_hook(AT_CONTROL), MQB_UNSUPPORTED; }

const mqb_consumer_table zoo_consumer = {
#ifdef FAULT_SHORT_CONSUMER
    .struct_size = offsetof(mqb_consumer_table, receive),
#elif defined FAULT_LARGER_TABLE
    .struct_size = sizeof(mqb_consumer_table) + 64, /* and what is behind this object is garbage to an older host */
#else
    .struct_size = sizeof(mqb_consumer_table),
#endif
    .connect = zoo_connect, .settle = zoo_settle, .free_batch = zoo_free_batch, .control = zoo_control, .cancel = zoo_cancel, .free = zoo_free,
#ifndef FAULT_NULL_RECEIVE
    .receive = zoo_receive,
#endif
};

mqb_consumer *zoo_new_consumer(mqb_create *c) {
    source *s = calloc(1, sizeof *s);
    s->base.table = &zoo_consumer;
    s->host = c->host;
    s->topic = zoo_topic(c->config);
    pthread_cond_init(&s->changed, NULL);
    return &s->base;
}
