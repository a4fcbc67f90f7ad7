/* tiny: a whole plugin in C. Endpoint `tiny`: the consumer counts from 1 to `to`, the publisher adds up what it is sent and tells
   the sum through control "sum". Handler `double`: answers each number with twice that number. */
#include <mqb/plugin.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT(literal) { literal, sizeof(literal) - 1 }
static int same(mqb_text a, const char *b) { return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0; }

/* ---- A batch: one block with its owner in front, counted ---------------------------------------------------------------------- */
typedef struct block { mqb_owner owner; atomic_uint count; } block;
static void block_retain(mqb_owner *o) { atomic_fetch_add(&((block *)o)->count, 1); }
static void block_release(mqb_owner *o) { if (atomic_fetch_sub(&((block *)o)->count, 1) == 1) free(o); }
static block *block_new(size_t bytes) {
    block *b = calloc(1, sizeof *b + bytes);
    if (!b) return NULL;
    b->owner = (mqb_owner){ sizeof b->owner, 0, sizeof *b + bytes, block_retain, block_release };
    atomic_init(&b->count, 1);
    return b;
}
typedef struct batch { block *bytes; mqb_message messages[]; } batch;

/* ---- Consumer: everything answers DONE, so there is nothing to cancel ----------------------------------------------------------- */
typedef struct counter { mqb_consumer base; uint64_t next, to, settled; } counter;
static mqb_status counter_receive(mqb_consumer *self, mqb_receive *r) {
    enum { digits = 20, entry = 8 + 6 + 8 }; /* one metadata entry: head, "number", 8 bytes */
    static const mqb_text key = TEXT("number");
    counter *c = (counter *)self;
    uint64_t left = c->next <= c->to ? c->to - c->next + 1 : 0;
    uint32_t n = left < r->max_messages ? (uint32_t)left : r->max_messages;
    if (n == 0) return MQB_END;
    if (r->max_bytes && n > r->max_bytes / digits) n = r->max_bytes < digits ? 1 : (uint32_t)(r->max_bytes / digits);
    batch *b = calloc(1, sizeof *b + n * sizeof b->messages[0]);
    if (b) b->bytes = block_new((size_t)n * (digits + 1 + entry));
    if (!b || !b->bytes) { free(b); return MQB_RETRY; }
    for (uint32_t i = 0; i < n; ++i) {
        mqb_message *m = &b->messages[i];
        uint8_t *at = (uint8_t *)(b->bytes + 1) + (size_t)i * (digits + 1 + entry);
        uint64_t number = c->next + i;
        memcpy(m->id, &number, sizeof number);
        size_t size = (size_t)snprintf((char *)at, digits + 1, "%llu", (unsigned long long)number);
        m->payload = (mqb_buffer){ at, size, &b->bytes->owner };
        size = mqb_meta_put_int(at + digits + 1, entry, 0, MQB_META_INT, key, number);
        m->metadata = (mqb_buffer){ at + digits + 1, size, &b->bytes->owner };
    }
    c->next += n;
    r->messages = mqb_list_of(b->messages, n, sizeof b->messages[0]);
    r->batch = b;
    return MQB_OK;
}
static mqb_status counter_settle(mqb_consumer *self, mqb_settle *s) {
    for (uint32_t i = 0; i < s->entries.count; ++i) {
        ((counter *)self)->settled += mqb_entry_at(&s->entries, i)->disposition == MQB_ACK;
        mqb_outcome_at(&s->outcomes, i)->result = MQB_SETTLE_OK;
    }
    return MQB_OK;
}
static void counter_free_batch(mqb_consumer *self, void *p) {
    (void)self;
    block_release(&((batch *)p)->bytes->owner); /* others may still hold payloads */
    free(p);
}
static void counter_cancel(mqb_consumer *self, uint64_t operation) { (void)self; (void)operation; }
static void counter_free(mqb_consumer *self) { free(self); }
static const mqb_consumer_table counter_table = { .struct_size = sizeof(mqb_consumer_table), .receive = counter_receive,
    .settle = counter_settle, .free_batch = counter_free_batch, .cancel = counter_cancel, .free = counter_free };

/* ---- Publisher and handler ------------------------------------------------------------------------------------------------------ */
typedef struct adder { mqb_publisher base; uint64_t sum; int doubles; } adder;
static mqb_status adder_send(mqb_publisher *self, mqb_send *s) {
    adder *a = (adder *)self;
    for (uint32_t i = 0; i < s->messages.count; ++i) {
        const mqb_message *m = mqb_message_at(&s->messages, i);
        mqb_outcome *o = mqb_outcome_at(&s->outcomes, i);
        uint64_t number = 0;
        size_t at = 0;
        while (at < m->payload.size && m->payload.data[at] >= '0' && m->payload.data[at] <= '9') number = number * 10 + (m->payload.data[at++] - '0');
        if (at == 0 || at < m->payload.size) {
            s->call.explain(&s->call, i, (mqb_text)TEXT("not a number"));
            o->result = MQB_REFUSED;
            continue;
        }
        if (a->doubles && s->answer) {
            char text[21];
            size_t size = (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)(2 * number));
            mqb_message twice;
            mqb_message_copy(&s->messages, i, &twice); /* same id, lane and metadata */
            twice.payload = (mqb_buffer){ (const uint8_t *)text, size, NULL }; /* no owner: whoever keeps it copies it */
            s->answer(s, i, &twice);
        }
        a->sum += number;
        o->result = MQB_DONE;
    }
    return MQB_OK;
}
static mqb_status adder_control(mqb_publisher *self, mqb_control *c) {
    char json[64];
    if (!same(c->id, "sum")) return MQB_UNSUPPORTED;
    int size = snprintf(json, sizeof json, "{\"sum\":%llu}", (unsigned long long)((adder *)self)->sum);
    c->answer(c, (mqb_text){ json, (size_t)size });
    return MQB_OK;
}
static void adder_cancel(mqb_publisher *self, uint64_t operation) { (void)self; (void)operation; }
static void adder_free(mqb_publisher *self) { free(self); }
static const mqb_publisher_table adder_table = { .struct_size = sizeof(mqb_publisher_table), .send = adder_send,
    .control = adder_control, .cancel = adder_cancel, .free = adder_free };

/* ---- Factories and the door: read this first --------------------------------------------------------------------------------------- */
static mqb_status tiny_promises(mqb_promise *p) {
    if (p->side == MQB_SIDE_CONSUMER) {
        p->promises->flags = MQB_ACKNOWLEDGES | MQB_FINITE;
        p->promises->settle_unit = MQB_UNIT_MESSAGE;
        p->promises->dispositions = MQB_BIT(MQB_ACK);
    } else p->promises->flags = MQB_ORDERED;
    return MQB_OK;
}
/* The number after `key`; a real plugin uses a JSON library. The text has no terminator. */
static uint64_t number_of(mqb_text json, const char *key) {
    uint64_t n = 0;
    size_t at = 0, size = strlen(key);
    while (at + size <= json.size && memcmp(json.data + at, key, size) != 0) ++at;
    for (at += size; at < json.size && json.data[at] >= '0' && json.data[at] <= '9'; ++at) n = n * 10 + (uint64_t)(json.data[at] - '0');
    return n;
}
static mqb_status tiny_create(mqb_create *c) {
    if (c->side == MQB_SIDE_CONSUMER) {
        counter *made = calloc(1, sizeof *made);
        if (!made) return MQB_RETRY;
        made->base.table = &counter_table;
        made->next = 1;
        made->to = number_of(c->config, "\"to\":");
        c->made = &made->base;
    } else {
        adder *made = calloc(1, sizeof *made);
        if (!made) return MQB_RETRY;
        made->base.table = &adder_table;
        made->doubles = c->side == 0; /* a handler */
        c->made = &made->base;
    }
    return MQB_OK;
}
static const mqb_factory endpoint = { .struct_size = sizeof(mqb_factory), .kind = MQB_ENDPOINT, .sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER,
    .name = TEXT("tiny"), .schema = TEXT("{\"properties\":{\"to\":{\"type\":\"integer\",\"default\":10}}}"), .promises = tiny_promises, .create = tiny_create };
static const mqb_factory handler = { .struct_size = sizeof(mqb_factory), .kind = MQB_HANDLER, .name = TEXT("double"), .schema = TEXT("{}"), .create = tiny_create };
static const mqb_factory *const factories[] = { &endpoint, &handler };
static const mqb_plugin plugin = { .struct_size = sizeof(mqb_plugin), .draft = MQB_ABI_DRAFT, .name = TEXT("tiny"), .version = TEXT("0.1.0"),
    .licence = TEXT("MIT"), .factories = factories, .factory_count = 2 };
const mqb_plugin *mqb_plugin_v1(void) { return &plugin; }
