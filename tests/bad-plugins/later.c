/* later.c: the publisher of `zoo_later`. Sends wait in a queue for a thread, which carries out one after the other; so several are in
   flight, and a failure concerns those that have been started. */
#include "core.h"

#include <time.h>

typedef struct waiting {
    struct waiting *next;
    mqb_send *send;
    int cancelled;
} waiting;
typedef struct later {
    sink base;
    waiting *first;
    pthread_t worker;
    pthread_cond_t changed;
    int running, stopped;
    uint64_t started, carried, last_behind; /* sends; up to last_behind the broken lanes stay broken */
} later;

/* What the thread has to do is there. Lock held. */
static int is_busy(const later *l) { return l->first != NULL; }

static void carry_out_next(later *l) {
    waiting *w = l->first;
    l->first = w->next;
    mqb_send *c = w->send;
    mqb_status status = MQB_OK;
    if (++l->carried > l->last_behind) l->base.broken_count = 0;
    if (w->cancelled) {
        status = MQB_CANCELLED; /* nothing of it has left */
#ifdef FAULT_CANCELLED_SEND_LEAVES
        zoo_carry_out(&l->base, c);
        for (uint32_t i = 0; i < c->outcomes.count; ++i) mqb_outcome_at(&c->outcomes, i)->result = MQB_UNSENT;
#elif defined FAULT_CANCELLED_SEND_IS_DONE
        for (uint32_t i = 0; i < c->outcomes.count; ++i) mqb_outcome_at(&c->outcomes, i)->result = MQB_DONE;
#endif
    } else if (l->base.disconnected) {
        status = MQB_DISCONNECTED;
    } else {
        zoo_carry_out(&l->base, c);
    }
    free(w);
    /* Whoever starts a send before it knows of the failure has started it behind the failure. */
    const int failed = l->base.broken_count > 0;
    if (failed) l->last_behind = UINT64_MAX;
    pthread_mutex_unlock(&zoo_lock);
    c->call.done(&c->call, status);
    pthread_mutex_lock(&zoo_lock);
    if (failed) l->last_behind = l->started;
#ifdef FAULT_LATER_SENDS_GO_ON
    l->base.broken_count = 0; /* only the send that failed is held back */
#endif
}
static void *work(void *p) {
    later *l = p;
    pthread_mutex_lock(&zoo_lock);
    while (!l->stopped) {
        if (!is_busy(l)) {
            pthread_cond_wait(&l->changed, &zoo_lock);
            continue;
        }
        pthread_mutex_unlock(&zoo_lock);
        const struct timespec on_the_way = { 0, 2000000 };
        nanosleep(&on_the_way, NULL);
        pthread_mutex_lock(&zoo_lock);
        carry_out_next(l);
    }
    pthread_mutex_unlock(&zoo_lock);
    return NULL;
}

static mqb_status later_send(mqb_publisher *self, mqb_send *c) {
    later *l = (later *)self;
    zoo_hook(AT_SEND);
    waiting *w = calloc(1, sizeof *w), **end = &l->first;
    w->send = c;
    pthread_mutex_lock(&zoo_lock);
    while (*end) end = &(*end)->next;
    *end = w;
    ++l->started;
    if (!l->running) l->running = pthread_create(&l->worker, NULL, work, l) == 0;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&zoo_lock);
    return MQB_PENDING;
}
static void later_cancel(mqb_publisher *self, uint64_t operation) {
    later *l = (later *)self;
    zoo_hook(AT_CANCEL);
    pthread_mutex_lock(&zoo_lock);
    for (waiting *w = l->first; w; w = w->next)
        if (w->send->call.operation == operation) w->cancelled = 1;
    pthread_mutex_unlock(&zoo_lock);
}
static void later_free(mqb_publisher *self) {
    later *l = (later *)self;
    zoo_hook(AT_FREE);
    pthread_mutex_lock(&zoo_lock);
    l->stopped = 1;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&zoo_lock);
    if (l->running) pthread_join(l->worker, NULL);
    pthread_cond_destroy(&l->changed);
    free(l);
}
static const mqb_publisher_table table = { .struct_size = sizeof table, .connect = zoo_sink_connect, .send = later_send,
    .control = zoo_sink_control, .cancel = later_cancel, .free = later_free };

mqb_publisher *zoo_new_later(mqb_create *c, uint32_t flags) {
    later *l = calloc(1, sizeof *l);
    l->base.base.table = &table;
    l->base.host = c->host;
    l->base.flags = flags;
    l->base.topic = zoo_topic(c->config);
    pthread_cond_init(&l->changed, NULL);
    return &l->base.base;
}
