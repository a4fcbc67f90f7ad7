/* inline_endpoint: an endpoint that answers everything at once, as functions; the benchmark links it in and loads it as a plugin. */
#ifndef BENCH_INLINE_ENDPOINT_H
#define BENCH_INLINE_ENDPOINT_H
#include <mqb/plugin.h>

#include <stdlib.h>
#include <string.h>

#define BENCH_LARGEST_BATCH 512

/* The messages of every batch: 200 bytes and two metadata entries each, one owner for all. */
typedef struct bench_source {
    mqb_owner owner;
    uint64_t next_id;
    mqb_message messages[BENCH_LARGEST_BATCH];
    uint8_t payload[BENCH_LARGEST_BATCH][200];
    uint8_t metadata[BENCH_LARGEST_BATCH][64];
} bench_source;

static void bench_count(mqb_owner *o) { (void)o; }

static inline bench_source *bench_new_source(void) {
    bench_source *s = (bench_source *)calloc(1, sizeof *s);
    const mqb_text key = { "key", 3 }, type = { "content_type", 12 };
    s->owner.struct_size = sizeof s->owner;
    s->owner.total_size = sizeof *s;
    s->owner.retain = s->owner.release = bench_count;
    for (int i = 0; i < BENCH_LARGEST_BATCH; ++i) {
        size_t end = mqb_meta_put_int(s->metadata[i], 64, 0, MQB_META_INT, key, (uint64_t)i);
        end = mqb_meta_put(s->metadata[i], 64, end, MQB_META_TEXT, type, "text/plain", 10);
        memset(s->payload[i], 'x', 200);
        s->messages[i].payload.data = s->payload[i];
        s->messages[i].payload.size = 200;
        s->messages[i].payload.owner = &s->owner;
        s->messages[i].metadata.data = s->metadata[i];
        s->messages[i].metadata.size = end;
        s->messages[i].metadata.owner = &s->owner;
    }
    return s;
}

/* Gives `count` messages with new ids. */
static inline mqb_message *bench_take(bench_source *s, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t id = s->next_id++;
        memcpy(s->messages[i].id + 8, &id, sizeof id);
        s->messages[i].lane = 0;
        s->messages[i].delivery_count = 1;
    }
    return s->messages;
}

/* Looks at every entry and records it. */
static inline void bench_record(const mqb_list *entries, const mqb_list *outcomes) {
    for (uint32_t i = 0; i < entries->count; ++i)
        mqb_outcome_at(outcomes, i)->result = mqb_entry_at(entries, i)->disposition == MQB_ACK ? MQB_SETTLE_OK : MQB_SETTLE_GONE;
}

/* Looks at every message and sends it. */
static inline uint64_t bench_write(const mqb_list *messages, const mqb_list *outcomes) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < messages->count; ++i) {
        bytes += mqb_message_at(messages, i)->payload.size;
        mqb_outcome_at(outcomes, i)->result = MQB_DONE;
    }
    return bytes;
}
#endif
