// shapes: endpoints with the awkward shapes of real ones, whose queues are in another process. What it offers; the parts are in
// config, consumer and publisher (clients with callbacks), unit_consumer and plain_publisher (clients that block).
#include "consumer.hpp"
#include "plain_publisher.hpp"
#include "publisher.hpp"
#include "unit_consumer.hpp"

namespace shapes = mqb::shapes;

MQB_PLUGIN("shapes", "0.1.0", "Apache-2.0", mqb::sdk::offer_endpoint<"shape", shapes::config, shapes::consumer, shapes::publisher>,
           mqb::sdk::offer_endpoint<"shape_blocking", shapes::config, shapes::unit_consumer, shapes::plain_publisher>);
