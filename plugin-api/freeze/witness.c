/* witness: a library whose debug information shows every type of the ABI, for abidiff. It is never loaded: its typed entry names
   each table and each struct, since what hides behind `const void *` is not compared. Compiling it checks layout.h. */
#include "layout.h"

struct mqb_witness {
    const mqb_plugin *plugin;
    const mqb_factory *factory;
    const mqb_promise *promise;
    const mqb_promises *promises;
    const mqb_create *create;
    const mqb_child *child;
    const mqb_host *host;
    const mqb_host_table *host_table;
    const mqb_event *event;
    const mqb_consumer *consumer;
    const mqb_consumer_table *consumer_table;
    const mqb_publisher *publisher;
    const mqb_publisher_table *publisher_table;
    const mqb_store *store;
    const mqb_store_table *store_table;
    const mqb_store_entry *store_entry;
    const mqb_call *call;
    const mqb_receive *receive;
    const mqb_settle *settle;
    const mqb_entry *entry;
    const mqb_send *send;
    const mqb_outcome *outcome;
    const mqb_control *control;
    const mqb_apply *apply;
    const mqb_message *message;
    const mqb_buffer *buffer;
    const mqb_owner *owner;
    const mqb_list *list;
    const mqb_text *text;
    const mqb_meta *meta;
};

MQB_EXPORT const struct mqb_witness *mqb_witness(const struct mqb_witness *seen);
const struct mqb_witness *mqb_witness(const struct mqb_witness *seen) { return seen; }

const mqb_plugin *mqb_plugin_v1(void) { return mqb_witness(0)->plugin; }
