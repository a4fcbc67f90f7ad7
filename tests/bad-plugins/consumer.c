/* consumer.c: the consumer of the zoo. A receive that finds nothing waits for a thread, which completes it. */
#include "core.h"

#include <time.h>
#include <unistd.h>

/* The place of the first message at or behind `at` that may be given now; it holds null when there is none. Lock held. */
static item **ready(source *s, item **at) {
    for (; *at; at = &(*at)->next) {
#ifdef FAULT_STALLS_BEFORE_LIMIT
        if (s->given > 0) continue; /* gives one batch, and waits until that is settled */
#endif
        if ((*at)->not_before > zoo_now(s->host)) continue;
#ifndef FAULT_LANES_GIVEN_AFTER_ENDING
        const lane *l = zoo_lane(s, (*at)->partition);
        if (l->ending) continue; /* a partition that goes away: its messages wait for the next lane */
#endif
        break;
    }
    return at;
}
static int has_ready(source *s) { return *ready(s, &s->topic->first) != NULL; }

/* Takes what is there into the call. Lock held, something is ready. */
static void give(source *s, mqb_receive *r) {
    uint32_t n = 0;
    uint64_t bytes = 0;
    for (item **at = ready(s, &s->topic->first); *at && n < r->max_messages; at = ready(s, &(*at)->next), ++n) {
        if (n && r->max_bytes && bytes + (*at)->payload > r->max_bytes) break;
        bytes += (*at)->payload;
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
        item **at = ready(s, &s->topic->first), *i = *at;
        *at = i->next;
        if (s->topic->last == &i->next) s->topic->last = at;
        b->items[k] = i;
        mqb_message *m = &b->messages[k];
        memcpy(m->id, i->id, 16);
        m->delivery_count = ++i->deliveries;
#ifdef FAULT_NEW_IDENTITY
        m->id[15] ^= (uint8_t)i->deliveries;
#endif
        m->lane = zoo_lane(s, i->partition)->id;
        m->payload = (mqb_buffer){ i->null ? NULL : i->bytes, i->payload, &i->owner };
        m->metadata = (mqb_buffer){ i->metadata ? i->meta : NULL, i->metadata, &i->owner };
#ifdef FAULT_BAD_METADATA
        m->metadata.size -= m->metadata.size > 0;
#elif defined FAULT_NULL_WITH_SIZE
        m->payload = (mqb_buffer){ NULL, 5, NULL };
#elif defined FAULT_ABSURD_PAYLOAD
        m->payload.size = SIZE_MAX - 1;
#elif defined FAULT_ABSURD_METADATA
        m->metadata.size = (size_t)1 << 40;
#endif
    }
    ++s->given;
    r->messages = mqb_list_of(b->messages, n, sizeof b->messages[0]);
    r->batch = b;
}

/* Waits until somebody has changed something, or it is time for what the worker does by the clock. Lock held. */
static void wait_for_change(source *s) {
    const uint64_t at = zoo_next_time(s);
    if (at == UINT64_MAX) {
        pthread_cond_wait(&s->changed, &zoo_lock);
        return;
    }
    const struct timespec until = { (time_t)(at / 1000000000), (long)(at % 1000000000) };
    pthread_cond_timedwait(&s->changed, &zoo_lock, &until);
}
uint64_t zoo_next_time(source *s) {
    uint64_t at = s->token ? s->deadline : UINT64_MAX;
    for (const item *i = s->topic->first; i; i = i->next)
        if (i->not_before > zoo_now(s->host) && i->not_before < at) at = i->not_before;
    return at;
}

/* Completes the receive that waits, when there is something, or it is cancelled. Ends lanes. */
static void *work(void *p) {
    source *s = p;
    pthread_mutex_lock(&zoo_lock);
    for (;;) {
        zoo_end_lanes(s);
#ifdef FAULT_LANES_ENDING_BESIDE_RECEIVE
        if (s->revoke && !s->token && s->asked && has_ready(s)) {
            mqb_receive *r = s->asked;
            s->asked = NULL;
            s->topic->waiting = NULL;
            give(s, r);
            zoo_begin_ending(s); /* before the completion of what was given */
            pthread_mutex_unlock(&zoo_lock);
            r->call.done(&r->call, MQB_OK);
            pthread_mutex_lock(&zoo_lock);
        }
#else
        if (s->revoke && !s->token) zoo_begin_ending(s);
#endif
        if (s->stopped) break;
        if (!(s->asked && (s->cancelled || s->disconnected || has_ready(s)))) {
            wait_for_change(s);
            continue;
        }
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
        if (s->cancelled && has_ready(s)) {
            give(s, r);
            status = MQB_CANCELLED;
        } else
#endif
        if (s->disconnected) status = MQB_DISCONNECTED;
        else if (has_ready(s)) give(s, r);
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
mqb_status zoo_start_worker(source *s) {
    if (!s->running) s->running = pthread_create(&s->worker, NULL, work, s) == 0;
    return s->running ? MQB_OK : MQB_RETRY;
}

#ifdef FAULT_COMPLETES_LATE
static void *late(void *call) { usleep(50000); ((mqb_call *)call)->done(call, MQB_CANCELLED); return NULL; }
#endif
static mqb_status zoo_receive(mqb_consumer *self, mqb_receive *r) {
    source *s = (source *)self;
    mqb_status status = MQB_OK;
    zoo_hook(AT_RECEIVE);
#ifdef FAULT_FLOODS_STATES
    for (int i = 0; i < 200000; ++i) {
        const mqb_event e = { .struct_size = sizeof e, .kind = MQB_STATE, .text = TEXT("flapping"), .number = i & 1 };
        s->host->table->event(s->host, &e);
    }
#elif defined FAULT_FLOODS_LANES
    for (int i = 0; i < 5000; ++i) {
        const uint64_t id = (uint64_t)i + 1000;
        const mqb_event e = { .struct_size = sizeof e, .kind = MQB_LANES_ENDING, .number = i, .lanes = &id, .lane_count = 1 };
        s->host->table->event(s->host, &e);
    }
#elif defined FAULT_TOO_MANY_LANES
    uint64_t *ids = calloc(65537, sizeof *ids);
    const mqb_event e = { .struct_size = sizeof e, .kind = MQB_LANES_ENDING, .number = 1, .lanes = ids, .lane_count = 65537 };
    s->host->table->event(s->host, &e);
    free(ids);
#elif defined FAULT_STATE_IS_IN_LATIN
    const mqb_event e = { .struct_size = sizeof e, .kind = MQB_STATE, .text = TEXT("caf\xe9 is closed"), .number = 0 };
    s->host->table->event(s->host, &e);
#elif defined FAULT_EXPLAINS_IN_LATIN
    r->call.explain(&r->call, MQB_WHOLE_CALL, (mqb_text)TEXT("caf\xe9 is closed"));
    if (r->drain == 0) return MQB_RETRY;
#endif
    pthread_mutex_lock(&zoo_lock);
    if (s->disconnected) status = MQB_DISCONNECTED;
    else if (has_ready(s)) give(s, r);
    else if (r->drain) status = MQB_END;
    else {
        s->asked = r;
        s->cancelled = 0;
        s->topic->waiting = s;
        status = MQB_PENDING;
        zoo_start_worker(s);
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
    while (s->lanes) {
        lane *next = s->lanes->next;
        free(s->lanes);
        s->lanes = next;
    }
    pthread_cond_destroy(&s->changed);
#ifdef FAULT_SETTLE_COMPLETES_TWICE
    if (s->settler) pthread_join(s->settler, NULL);
#endif
#ifdef FAULT_CALLS_HOST_AFTER_FREE
    pthread_t t;
    pthread_create(&t, NULL, call_later, s->host);
    pthread_detach(t);
#endif
    free(s);
}

static mqb_status zoo_connect(mqb_consumer *self, mqb_call *call) {
    source *s = (source *)self;
    (void)call;
    zoo_hook(AT_CONNECT);
    pthread_mutex_lock(&zoo_lock);
    ++s->connects;
    s->disconnected = 0;
    for (lane *l = s->lanes; l; l = l->next) l->over = 1; /* each connection has lanes of its own */
    pthread_mutex_unlock(&zoo_lock);
#ifdef FAULT_CONNECTS_ONCE
    if (s->connects > 1) return MQB_BAD_CONFIG;
#endif
    return MQB_OK;
}
static mqb_status zoo_control(mqb_consumer *self, mqb_control *c) {
    source *s = (source *)self;
    zoo_hook(AT_CONTROL);
    if (zoo_is(c->id, "revoke")) return zoo_revoke(s, c);
    if (!zoo_is(c->id, "disconnect")) return MQB_UNSUPPORTED;
    pthread_mutex_lock(&zoo_lock);
    s->disconnected = 1;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&zoo_lock);
    return MQB_OK;
}

static const mqb_consumer_table zoo_consumer = {
#ifdef FAULT_SHORT_CONSUMER
    .struct_size = offsetof(mqb_consumer_table, receive),
#elif defined FAULT_LARGER_TABLE
    .struct_size = sizeof(mqb_consumer_table) + 64, /* and what is behind this object is garbage to an older host */
#else
    .struct_size = sizeof(mqb_consumer_table),
#endif
    .connect = zoo_connect, .settle = zoo_settle, .free_batch = zoo_free_batch, .lanes_done = zoo_lanes_done, .control = zoo_control, .cancel = zoo_cancel, .free = zoo_free,
#ifndef FAULT_NULL_RECEIVE
    .receive = zoo_receive,
#endif
};

mqb_consumer *zoo_new_consumer(mqb_create *c, uint32_t unit) {
    source *s = calloc(1, sizeof *s);
    s->base.table = &zoo_consumer;
    s->host = c->host;
    s->unit = unit;
    s->topic = zoo_topic(c->config);
    pthread_condattr_t steady; /* the clock of the host's now() */
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &steady);
    pthread_condattr_destroy(&steady);
    return &s->base;
}
