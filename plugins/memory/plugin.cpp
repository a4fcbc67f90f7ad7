// memory: a bounded channel between routes of one process, by name. What it offers; the parts are in config, channel, consumer and
// publisher.
#include "config.hpp"
#include "consumer.hpp"
#include "publisher.hpp"

#include <mqb/sdk.hpp>

using namespace mqb::memory;

MQB_PLUGIN("memory", "0.1.0", "Apache-2.0", mqb::sdk::offer_endpoint<"memory", config, consumer, publisher>);
