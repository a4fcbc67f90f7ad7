/* publisher.c: the publisher of the zoo. Every send is done at once. */
#include "core.h"

static mqb_status zoo_send(mqb_publisher *self, mqb_send *c) {
    sink *s = (sink *)self;
    zoo_hook(AT_SEND);
    pthread_mutex_lock(&zoo_lock);
    for (uint32_t i = 0; i < c->messages.count; ++i) {
        zoo_put(s->topic, zoo_item(mqb_message_at(&c->messages, i)));
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
#ifdef FAULT_WRITES_BEHIND_CALL
    memset(c + 1, 0, 8);
#endif
    pthread_mutex_unlock(&zoo_lock);
#ifdef FAULT_SEND_DONE_AND_COMPLETES
    c->call.done(&c->call, MQB_OK);
#endif
    return MQB_OK;
}
static mqb_status zoo_connect(mqb_publisher *self, mqb_call *call) { (void)self, (void)call; return zoo_hook(AT_CONNECT), MQB_OK; }
static mqb_status zoo_control(mqb_publisher *self, mqb_control *c) {
    (void)self, (void)c;
    zoo_hook(AT_CONTROL);
#ifdef FAULT_CONTROL_ANSWERS_ALL
    c->answer(c, (mqb_text)TEXT("{}"));
    return MQB_OK;
#else
    return MQB_UNSUPPORTED;
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

const mqb_publisher_table zoo_publisher = {
#ifdef FAULT_SHORT_PUBLISHER
    .struct_size = offsetof(mqb_publisher_table, cancel),
#else
    .struct_size = sizeof(mqb_publisher_table),
#endif
    .connect = zoo_connect, .control = zoo_control, .cancel = zoo_cancel, .free = zoo_free,
#ifndef FAULT_NULL_SEND
    .send = zoo_send,
#endif
};

mqb_publisher *zoo_new_publisher(mqb_create *c) {
    sink *s = calloc(1, sizeof *s);
    s->base.table = &zoo_publisher;
    s->host = c->host;
    s->topic = zoo_topic(c->config);
    return &s->base;
}
