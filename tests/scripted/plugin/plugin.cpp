// scripted: endpoints that do what a script says, request by request, and log when. What it offers; the parts are in config, script,
// consumer and publisher.
#include "consumer.hpp"
#include "publisher.hpp"

namespace scripted = mqb::scripted::plugin;

MQB_PLUGIN("scripted", "0.1.0", "Apache-2.0",
           mqb::sdk::offer_endpoint<"scripted", scripted::config, scripted::consumer, scripted::publisher>);
