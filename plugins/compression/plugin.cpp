// The middleware compression. Its options stand in config.hpp.
#include "consumer.hpp"
#include "publisher.hpp"

#include <mqb/sdk.hpp>

using namespace mqb::compressing;

MQB_PLUGIN("compression", "0.1.0", "Apache-2.0", mqb::sdk::offer_middleware<"compression", config, consumer, publisher>);
