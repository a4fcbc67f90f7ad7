/* inline_plugin: the inline endpoint as a plugin. */
#include "inline_endpoint.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }

typedef struct source {
    mqb_consumer base;
    bench_source *inside;
} source;
typedef struct sink {
    mqb_publisher base;
    uint64_t bytes;
} sink;

static mqb_status receive(mqb_consumer *self, mqb_receive *r) {
    bench_source *s = ((source *)self)->inside;
    uint32_t count = r->max_messages < BENCH_LARGEST_BATCH ? r->max_messages : BENCH_LARGEST_BATCH;
    r->messages = mqb_list_of(bench_take(s, count), count, sizeof(mqb_message));
    r->batch = s;
    return MQB_OK;
}
static mqb_status settle(mqb_consumer *self, mqb_settle *s) {
    (void)self;
    bench_record(&s->entries, &s->outcomes);
    return MQB_OK;
}
static void free_batch(mqb_consumer *self, void *batch) { (void)self; (void)batch; }
static void cancel_consumer(mqb_consumer *self, uint64_t operation) { (void)self; (void)operation; }
static void free_consumer(mqb_consumer *self) {
    free(((source *)self)->inside);
    free(self);
}
static const mqb_consumer_table consumer_table = { .struct_size = sizeof consumer_table, .receive = receive, .settle = settle,
    .free_batch = free_batch, .cancel = cancel_consumer, .free = free_consumer };

static mqb_status send(mqb_publisher *self, mqb_send *s) {
    ((sink *)self)->bytes += bench_write(&s->messages, &s->outcomes);
    return MQB_OK;
}
static void cancel_publisher(mqb_publisher *self, uint64_t operation) { (void)self; (void)operation; }
static void free_publisher(mqb_publisher *self) { free(self); }
static const mqb_publisher_table publisher_table = { .struct_size = sizeof publisher_table, .send = send, .cancel = cancel_publisher,
    .free = free_publisher };

static mqb_status create(mqb_create *c) {
    if (c->side == MQB_SIDE_CONSUMER) {
        source *s = calloc(1, sizeof *s);
        s->base.table = &consumer_table;
        s->inside = bench_new_source();
        c->made = s;
    } else {
        sink *p = calloc(1, sizeof *p);
        p->base.table = &publisher_table;
        c->made = p;
    }
    return MQB_OK;
}

static const mqb_factory factory = { .struct_size = sizeof factory, .kind = MQB_ENDPOINT, .sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER,
    .name = TEXT("inline"), .schema = TEXT("{\"type\":\"object\"}"), .create = create };
static const mqb_factory *const factories[] = { &factory };
static const mqb_plugin plugin = { .struct_size = sizeof plugin, .draft = MQB_ABI_DRAFT, .name = TEXT("inline"), .version = TEXT("1"),
    .licence = TEXT("Apache-2.0"), .factories = factories, .factory_count = 1 };
const mqb_plugin *mqb_plugin_v1(void) { return &plugin; }
