/* topic.c: the messages of the zoo, in memory. */
#include "core.h"

pthread_mutex_t zoo_lock = PTHREAD_MUTEX_INITIALIZER;
static topic *topics;

void zoo_retain(mqb_owner *o) {
#ifndef FAULT_FREES_EARLY
    atomic_fetch_add(&((item *)o)->count, 1);
#else
    (void)o;
#endif
}
void zoo_release(mqb_owner *o) {
    item *i = (item *)o;
    if (atomic_fetch_sub(&i->count, 1) != 1) return;
    memset(i + 1, 0xDD, i->payload + i->metadata); /* so that whoever reads it now sees it, without a sanitizer too */
    __asm__ volatile("" : : "r"(i) : "memory"); /* a compiler drops what is written right before free */
    free(i);
}

/* The topic named after "topic": in the configuration; the text has no terminator. */
topic *zoo_topic(mqb_text config) {
    static const char key[] = "\"topic\":\"";
    char name[128] = "";
    size_t at = 0, n = 0;
    while (at + sizeof key - 1 <= config.size && memcmp(config.data + at, key, sizeof key - 1) != 0) ++at;
    for (at += sizeof key - 1; at < config.size && config.data[at] != '"' && n + 1 < sizeof name; ++at) name[n++] = config.data[at];
    pthread_mutex_lock(&zoo_lock);
    topic *t = topics;
    while (t && strcmp(t->name, name) != 0) t = t->next;
    if (!t) {
        t = calloc(1, sizeof *t);
        memcpy(t->name, name, sizeof name);
        t->last = &t->first;
        t->next = topics;
        topics = t;
    }
    pthread_mutex_unlock(&zoo_lock);
    return t;
}

item *zoo_item(const mqb_message *m) {
    item *i = calloc(1, sizeof *i + m->payload.size + m->metadata.size + 1);
    i->owner = (mqb_owner){ sizeof i->owner, 0, sizeof *i + m->payload.size + m->metadata.size, zoo_retain, zoo_release };
    atomic_init(&i->count, 1);
    memcpy(i->id, m->id, 16);
    i->partition = m->lane;
    i->null = !m->payload.data;
    i->payload = m->payload.size;
    i->metadata = m->metadata.size;
    i->bytes = (const uint8_t *)(i + 1);
    i->meta = i->bytes + i->payload;
    if (i->payload) memcpy(i + 1, m->payload.data, i->payload);
    if (i->metadata) memcpy((uint8_t *)(i + 1) + i->payload, m->metadata.data, i->metadata);
#ifdef FAULT_KEEPS_BORROWED
    i->bytes = m->payload.data; /* neither copied nor retained */
    i->meta = m->metadata.data;
#endif
#ifdef FAULT_LEAKS_OWNER
    mqb_message_retain(m);
#endif
#ifdef FAULT_RELEASES_TWICE
    mqb_message_release(m);
#endif
    return i;
}
void zoo_put(topic *t, item *i) {
    i->next = NULL;
    *t->last = i;
    t->last = &i->next;
    if (t->waiting) pthread_cond_signal(&t->waiting->changed);
}
void zoo_back(topic *t, item *i) {
    i->next = t->first;
    t->first = i;
    if (t->last == &t->first) t->last = &i->next;
    if (t->waiting) pthread_cond_signal(&t->waiting->changed);
}

uint64_t zoo_now(mqb_host *host) { return host->table->now(host, MQB_CLOCK_STEADY); }
int zoo_says(mqb_text json, const char *part) {
    const size_t size = strlen(part);
    for (size_t at = 0; at + size <= json.size; ++at)
        if (memcmp(json.data + at, part, size) == 0) return 1;
    return 0;
}
long zoo_number(mqb_text json, const char *key, long otherwise) {
    const size_t size = strlen(key);
    for (size_t at = 0; at + size < json.size; ++at) {
        if (memcmp(json.data + at, key, size) != 0) continue;
        long n = 0;
        for (at += size; at < json.size && json.data[at] >= '0' && json.data[at] <= '9'; ++at) n = n * 10 + (json.data[at] - '0');
        return n;
    }
    return otherwise;
}
int zoo_is(mqb_text id, const char *name) { return id.size == strlen(name) && memcmp(id.data, name, id.size) == 0; }
