/* publisher.c: the publisher of the zoo, and what the one of later.c shares with it. Every send is done at once. */
#include "core.h"

static int is_broken(const sink *s, uint64_t id) {
    for (uint32_t i = 0; i < s->broken_count; ++i)
        if (s->broken[i] == id) return 1;
    return 0;
}
void zoo_carry_out(sink *s, mqb_send *c) {
    const uint32_t fails_at = c->messages.count > 1 ? 1 : 0;
    const int fails = ++s->sends == s->refused_send;
#ifndef FAULT_HALF_A_TRANSACTION
    if (fails && (s->flags & MQB_TRANSACTIONAL)) { /* done whole or not at all */
        for (uint32_t i = 0; i < c->outcomes.count; ++i) mqb_outcome_at(&c->outcomes, i)->result = s->refused_with;
        return;
    }
#endif
    for (uint32_t i = 0; i < c->messages.count; ++i) {
        const mqb_message *m = mqb_message_at(&c->messages, i);
        if (is_broken(s, m->lane)) continue; /* it stays UNSENT */
        if (fails && i == fails_at) {
            mqb_outcome_at(&c->outcomes, i)->result = s->refused_with;
#ifndef FAULT_ORDERED_RETRY_BROKEN
            if ((s->flags & MQB_ORDERED_RETRY) && s->refused_with != MQB_REFUSED && s->broken_count < 16) s->broken[s->broken_count++] = m->lane;
#endif
            continue;
        }
        zoo_put(s->topic, zoo_item(m));
#ifdef FAULT_WRITES_BEHIND_ELEMENT
        /* Built against a header whose outcome has one more field, and assigned whole. */
        struct { mqb_outcome known; uint64_t more; } newer = { { MQB_DONE, 0, 0 }, 0 };
        memcpy(mqb_outcome_at(&c->outcomes, i), &newer, sizeof newer);
#elif defined FAULT_LEAVES_UNSENT
        if (i % 2 == 0) mqb_outcome_at(&c->outcomes, i)->result = MQB_DONE;
#else
        mqb_outcome_at(&c->outcomes, i)->result = MQB_DONE;
#endif
#ifdef FAULT_WRITES_MESSAGES
        ((mqb_message *)mqb_at(&c->messages, i))->delivery_count++;
#endif
    }
}

static mqb_status zoo_send(mqb_publisher *self, mqb_send *c) {
    sink *s = (sink *)self;
    zoo_hook(AT_SEND);
    pthread_mutex_lock(&zoo_lock);
    const int lost = s->disconnected;
    if (!lost) zoo_carry_out(s, c);
    s->broken_count = 0; /* nothing else has been started */
#ifdef FAULT_WRITES_BEHIND_CALL
    memset(c + 1, 0, 8);
#endif
    pthread_mutex_unlock(&zoo_lock);
#ifdef FAULT_SEND_DONE_AND_COMPLETES
    c->call.done(&c->call, MQB_OK);
#endif
    return lost ? MQB_DISCONNECTED : MQB_OK;
}
mqb_status zoo_sink_connect(mqb_publisher *self, mqb_call *call) {
    sink *s = (sink *)self;
    (void)call;
    zoo_hook(AT_CONNECT);
    pthread_mutex_lock(&zoo_lock);
    s->disconnected = 0;
    pthread_mutex_unlock(&zoo_lock);
#ifdef FAULT_CONNECTS_ONCE
    if (++s->connects > 1) return MQB_BAD_CONFIG;
#endif
    return MQB_OK;
}
mqb_status zoo_sink_control(mqb_publisher *self, mqb_control *c) {
    sink *s = (sink *)self;
    zoo_hook(AT_CONTROL);
#ifdef FAULT_CONTROL_ANSWERS_ALL
    (void)s;
    c->answer(c, (mqb_text)TEXT("{}"));
    return MQB_OK;
#else
    const int refuse = zoo_is(c->id, "refuse");
    if (!refuse && !zoo_is(c->id, "disconnect")) return MQB_UNSUPPORTED;
    pthread_mutex_lock(&zoo_lock);
    if (refuse) {
        s->refused_send = s->sends + (uint32_t)zoo_number(c->request, "\"nth\":", 1);
        s->refused_with = zoo_says(c->request, "\"rejected\"") ? MQB_REFUSED : zoo_says(c->request, "\"uncertain\"") ? MQB_UNCERTAIN : MQB_AGAIN;
    } else {
        s->disconnected = 1;
    }
    pthread_mutex_unlock(&zoo_lock);
    return MQB_OK;
#endif
}
static void zoo_cancel(mqb_publisher *self, uint64_t operation) { (void)self, (void)operation; zoo_hook(AT_CANCEL); }
static void zoo_free(mqb_publisher *self) {
    zoo_hook(AT_FREE);
#ifdef FAULT_EVENT_IN_FREE
    mqb_event e = { .struct_size = sizeof e, .kind = MQB_COUNT, .text = TEXT("freed"), .number = 1 };
    ((sink *)self)->host->table->event(((sink *)self)->host, &e);
#endif
    free(self);
}

static const mqb_publisher_table zoo_publisher = {
#ifdef FAULT_SHORT_PUBLISHER
    .struct_size = offsetof(mqb_publisher_table, cancel),
#else
    .struct_size = sizeof(mqb_publisher_table),
#endif
    .connect = zoo_sink_connect, .control = zoo_sink_control, .cancel = zoo_cancel, .free = zoo_free,
#ifndef FAULT_NULL_SEND
    .send = zoo_send,
#endif
};

mqb_publisher *zoo_new_publisher(mqb_create *c, uint32_t flags) {
    sink *s = calloc(1, sizeof *s);
    s->base.table = &zoo_publisher;
    s->host = c->host;
    s->flags = flags;
    s->topic = zoo_topic(c->config);
    return &s->base;
}
