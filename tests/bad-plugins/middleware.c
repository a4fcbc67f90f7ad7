/* middleware.c: the middleware `zoo_pass`, which gives on what its inner side gives, with faults of its own. */
#include "core.h"

#include <unistd.h>

/* ---- Consumer ------------------------------------------------------------------------------------------------------------------- */
typedef struct pass {
    mqb_consumer base;
    mqb_consumer *inner;
    mqb_receive *asked; /* by the host */
    mqb_receive mine;   /* to the inner side */
    mqb_receive more;   /* a second one, of a fault */
} pass;
static pass *of_call(mqb_call *c) { return (pass *)((char *)c - offsetof(pass, mine)); }
static void give_on(pass *p, mqb_receive *r) {
    r->messages = p->mine.messages;
    r->batch = p->mine.batch;
}
static void received(mqb_call *c, mqb_status status) {
    pass *p = of_call(c);
    mqb_receive *r = p->asked;
    if (status == MQB_OK) give_on(p, r);
#ifdef FAULT_MIDDLEWARE_DROPS_ON_CANCEL
    if (status == MQB_OK && p->mine.call.reserved) status = MQB_CANCELLED; /* the batch of the inner side is forgotten */
#endif
    r->call.done(&r->call, status);
}
static void explained(mqb_call *c, uint32_t entry, mqb_text text) {
    mqb_receive *r = of_call(c)->asked;
    r->call.explain(&r->call, entry, text);
}
static void more_received(mqb_call *c, mqb_status status) {
    pass *p = (pass *)((char *)c - offsetof(pass, more));
    if (status == MQB_OK) p->inner->table->free_batch(p->inner, p->more.batch);
}
static void more_explained(mqb_call *c, uint32_t entry, mqb_text text) { (void)c, (void)entry, (void)text; }
static mqb_status pass_receive(mqb_consumer *self, mqb_receive *r) {
    pass *p = (pass *)self;
    p->asked = r;
    p->mine = (mqb_receive){ .call = { sizeof p->mine, 0, r->call.operation, received, explained }, .max_messages = r->max_messages,
        .drain = r->drain, .max_bytes = r->max_bytes };
    mqb_status status = p->inner->table->receive(p->inner, &p->mine);
#ifdef FAULT_MIDDLEWARE_RECEIVES_TWICE
    if (status == MQB_PENDING) { /* one more, as if it could prefetch */
        p->more = (mqb_receive){ .call = { sizeof p->more, 0, ~r->call.operation, more_received, more_explained }, .max_messages = 1 };
        if (p->inner->table->receive(p->inner, &p->more) == MQB_OK) p->inner->table->free_batch(p->inner, p->more.batch);
    }
#endif
    if (status == MQB_OK) give_on(p, r);
    return status;
}
static mqb_status pass_settle(mqb_consumer *self, mqb_settle *s) {
    pass *p = (pass *)self;
    mqb_settle mine = { .call = s->call, .batch = s->batch, .entries = s->entries, .outcomes = s->outcomes };
    mine.call.struct_size = sizeof mine; /* a settle of what the host lends answers at once */
#ifdef FAULT_MIDDLEWARE_SETTLES_TWICE
    p->inner->table->settle(p->inner, &mine);
#endif
    return p->inner->table->settle(p->inner, &mine);
}
static void pass_free_batch(mqb_consumer *self, void *of_inner) {
    pass *p = (pass *)self;
#ifdef FAULT_MIDDLEWARE_KEEPS_BATCHES
    (void)of_inner, (void)p;
#else
    p->inner->table->free_batch(p->inner, of_inner);
#endif
}
static void pass_cancel(mqb_consumer *self, uint64_t operation) {
    pass *p = (pass *)self;
#ifdef FAULT_MIDDLEWARE_DROPS_ON_CANCEL
    if (p->mine.call.operation == operation) p->mine.call.reserved = 1;
#endif
#ifdef FAULT_MIDDLEWARE_IGNORES_CANCEL
    (void)operation, (void)p;
#else
    p->inner->table->cancel(p->inner, operation);
#endif
}
static void pass_free(mqb_consumer *self) {
#ifdef FAULT_MIDDLEWARE_FREES_INNER
    pass *p = (pass *)self;
    p->inner->table->free(p->inner);
#endif
    free(self);
}
static const mqb_consumer_table consumer_table = { .struct_size = sizeof consumer_table, .receive = pass_receive, .settle = pass_settle,
    .free_batch = pass_free_batch, .cancel = pass_cancel, .free = pass_free };

/* ---- Publisher: the call goes on as it is, only its struct is the middleware's own ---------------------------------------------------- */
typedef struct pass_out {
    mqb_publisher base;
    mqb_publisher *inner;
} pass_out;
typedef struct flight {
    mqb_send mine;
    mqb_send *asked;
    int early; /* it has been answered */
} flight;
static void sent(mqb_call *c, mqb_status status) {
    mqb_send *asked = ((flight *)c)->asked;
    const int early = ((flight *)c)->early;
    free(c);
    if (early) return;
    asked->call.done(&asked->call, status);
}
static void send_explained(mqb_call *c, uint32_t entry, mqb_text text) {
    mqb_send *asked = ((flight *)c)->asked;
    asked->call.explain(&asked->call, entry, text);
}
static void answered(mqb_send *s, uint32_t index, const mqb_message *m) {
    mqb_send *asked = ((flight *)s)->asked;
    if (asked->answer) asked->answer(asked, index, m);
}
static mqb_status pass_send(mqb_publisher *self, mqb_send *s) {
    pass_out *p = (pass_out *)self;
    flight *f = calloc(1, sizeof *f);
    f->asked = s;
    f->mine = (mqb_send){ .call = { sizeof f->mine, 0, s->call.operation, sent, send_explained }, .messages = s->messages,
        .outcomes = s->outcomes, .answer = answered };
#ifdef FAULT_MIDDLEWARE_LOSES_LAST
    if (f->mine.messages.count > 1) {
        mqb_outcome_at(&s->outcomes, --f->mine.messages.count)->result = MQB_DONE;
        --f->mine.outcomes.count;
    }
#endif
#ifdef FAULT_MIDDLEWARE_ANSWERS_EARLY
    f->early = 1;
#endif
#ifdef FAULT_MIDDLEWARE_HANGS_IN_SEND
    for (;;) pause();
#endif
    mqb_status status = p->inner->table->send(p->inner, &f->mine);
#ifdef FAULT_MIDDLEWARE_ANSWERS_EARLY
    if (status == MQB_PENDING) { /* it will go well, surely */
        for (uint32_t i = 0; i < s->outcomes.count; ++i) mqb_outcome_at(&s->outcomes, i)->result = MQB_DONE;
        return MQB_OK;
    }
#endif
    if (status != MQB_PENDING) free(f);
    return status;
}
static void out_cancel(mqb_publisher *self, uint64_t operation) {
    pass_out *p = (pass_out *)self;
    p->inner->table->cancel(p->inner, operation);
}
static void out_free(mqb_publisher *self) { free(self); }
static const mqb_publisher_table publisher_table = { .struct_size = sizeof publisher_table, .send = pass_send, .cancel = out_cancel, .free = out_free };

mqb_status zoo_pass_create(mqb_create *c) {
    if (c->children.count != 1) return MQB_BAD_CONFIG;
    void *inner = mqb_child_at(&c->children, 0)->handle;
    if (c->side == MQB_SIDE_CONSUMER) {
        pass *p = calloc(1, sizeof *p);
        p->base.table = &consumer_table;
        p->inner = inner;
        c->made = &p->base;
    } else {
        pass_out *p = calloc(1, sizeof *p);
        p->base.table = &publisher_table;
        p->inner = inner;
        c->made = &p->base;
    }
    return MQB_OK;
}
