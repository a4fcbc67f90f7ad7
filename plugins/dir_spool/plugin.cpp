// The endpoint dir_spool, and its names in route files of others. Its options stand in config.hpp.
#include "consumer.hpp"
#include "publisher.hpp"

#include <mqb/sdk.hpp>

using namespace mqb::dir_spool;

MQB_PLUGIN("dir_spool", "0.1.0", "Apache-2.0", mqb::sdk::offer_endpoint<"dir_spool", config, consumer, publisher>,
           mqb::sdk::offer_endpoint<"spool", config, consumer, publisher>,
           mqb::sdk::offer_endpoint<"dirspool", config, consumer, publisher>);
