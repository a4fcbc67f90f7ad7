/* small_plugin: a library with one endpoint and no code behind it. The build makes several of it: SMALL_NAME is the plugin, SMALL_OFFER
   its endpoint; ABORTS, HANGS, EXITS, IGNORES and LINGERS say what a static constructor or destructor does. */
#include <mqb/plugin.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT(literal) { literal, sizeof(literal) - 1 }

#ifdef ABORTS
__attribute__((constructor)) static void in_constructor(void) { abort(); }
#elif defined HANGS
__attribute__((constructor)) static void in_constructor(void) { for (;;) pause(); }
#elif defined EXITS
__attribute__((constructor)) static void in_constructor(void) { _exit(3); }
#elif defined IGNORES
__attribute__((constructor)) static void in_constructor(void) { signal(SIGTERM, SIG_IGN); }
#elif defined LINGERS
__attribute__((destructor)) static void in_destructor(void) { for (;;) pause(); }
#endif

static mqb_status create(mqb_create *c) {
    (void)c;
    return MQB_BAD_CONFIG;
}

static void *crash(void *p) {
    *(volatile int *)p = 1;
    return p;
}
/* A table with one function: crashes on a thread of this plugin. */
static void crash_on_own_thread(void) {
    pthread_t t;
    pthread_create(&t, NULL, crash, (void *)8);
    pthread_join(t, NULL);
}
static void abort_here(void) { abort(); }
static void (*const functions[])(void) = { crash_on_own_thread, abort_here };
static const void *table(mqb_text id) { return id.size == 5 && memcmp(id.data, "crash", 5) == 0 ? functions : NULL; }

static const mqb_factory endpoint = { .struct_size = sizeof(mqb_factory), .kind = MQB_ENDPOINT, .sides = MQB_SIDE_CONSUMER,
    .name = TEXT(SMALL_OFFER), .schema = TEXT("{\"type\":\"object\"}"), .create = create };
static const mqb_factory *const factories[] = { &endpoint };
static const mqb_plugin plugin = { .struct_size = sizeof(mqb_plugin), .draft = MQB_ABI_DRAFT, .name = TEXT(SMALL_NAME), .version = TEXT("0.1"),
    .licence = TEXT("MIT"), .factories = factories, .factory_count = 1, .table = table };

const mqb_plugin *mqb_plugin_v1(void) { return &plugin; }
