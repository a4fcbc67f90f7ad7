/* lanes.c: the lanes of the consumer, and how they are taken away. The worker raises the events, so that LANES_ENDING never overtakes
   the completion of a receive. */
#include "core.h"

#include <stdio.h>

lane *zoo_lane(source *s, uint64_t partition) {
    lane *last = NULL;
    for (lane *l = s->lanes; l; l = l->next)
        if (l->partition == partition) last = l;
#ifdef FAULT_LANES_USED_AGAIN
    if (last && last->over) last->over = last->ending = 0;
#endif
    if (last && !last->over) return last;
    lane *l = calloc(1, sizeof *l), **end = &s->lanes;
    while (*end) end = &(*end)->next;
    *end = l;
    l->id = ++s->last_lane;
    l->partition = partition;
    return l;
}
static lane *lane_of(source *s, uint64_t id) {
    lane *l = s->lanes;
    while (l && l->id != id) l = l->next;
    return l;
}
int zoo_lane_is_over(source *s, uint64_t id) {
    const lane *l = lane_of(s, id);
#ifdef FAULT_LANES_SETTLED_AFTER_ENDED
    return !l;
#elif defined FAULT_LANES_GONE_TOO_EARLY
    return !l || l->over || l->ending;
#else
    return !l || l->over;
#endif
}
void zoo_kill_lane(source *s, uint64_t id) {
    lane *l = lane_of(s, id);
    if (l) l->over = 1;
}

mqb_status zoo_revoke(source *s, mqb_control *c) {
    pthread_mutex_lock(&zoo_lock);
    s->revoke = (uint32_t)zoo_number(c->request, "\"lanes\":", 1);
    s->revoke_ms = (uint64_t)zoo_number(c->request, "\"deadline_ms\":", 500);
    zoo_start_worker(s);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&zoo_lock);
    c->answer(c, (mqb_text)TEXT("{}"));
    return MQB_OK;
}

void zoo_begin_ending(source *s) {
    uint64_t ids[16];
    uint32_t n = 0;
    for (lane *l = s->lanes; l && n < s->revoke && n < sizeof ids / sizeof ids[0]; l = l->next)
        if (!l->over && !l->ending) {
            l->ending = 1;
            ids[n++] = l->id;
        }
    s->revoke = 0;
    if (n == 0) return;
    s->token = ++s->last_token;
    s->lanes_done = 0;
    s->deadline = zoo_now(s->host) + s->revoke_ms * 1000000;
    const mqb_event e = { .struct_size = sizeof e, .kind = MQB_LANES_ENDING, .number = s->token, .deadline_ns = s->deadline, .lanes = ids, .lane_count = n };
    pthread_mutex_unlock(&zoo_lock);
    s->host->table->event(s->host, &e);
    pthread_mutex_lock(&zoo_lock);
}
void zoo_end_lanes(source *s) {
    if (!s->token || !(s->lanes_done || zoo_now(s->host) >= s->deadline)) return;
    for (lane *l = s->lanes; l; l = l->next)
        if (l->ending) l->over = 1;
    const mqb_event e = { .struct_size = sizeof e, .kind = MQB_LANES_ENDED, .number = s->token };
    s->token = 0;
#ifdef FAULT_LANES_NEVER_ENDED
    (void)e;
#else
    pthread_mutex_unlock(&zoo_lock);
    s->host->table->event(s->host, &e);
    pthread_mutex_lock(&zoo_lock);
#endif
}
void zoo_lanes_done(mqb_consumer *self, uint64_t token) {
    source *s = (source *)self;
    pthread_mutex_lock(&zoo_lock);
    if (s->token && (uint64_t)s->token == token) s->lanes_done = 1; /* the deadline may have come first */
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&zoo_lock);
}
