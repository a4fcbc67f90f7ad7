// The file endpoint: what it offers. Its options stand in config.hpp.
#include "consumer.hpp"
#include "target.hpp"

#include <mqb/sdk/plugin.hpp>

MQB_PLUGIN("file", "0.1.0", "Apache-2.0", mqb::sdk::offer_endpoint<"file", mqb::file::config, mqb::file::consumer, mqb::file::target>);
