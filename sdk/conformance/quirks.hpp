// Quirks: what the author of a plugin says about it in conformance.json, beyond what its promises say. README.md lists them.
#pragma once
#include <boost/json/object.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace mqb::conformance {

struct quirks {
    // What a message keeps on its way from the publisher to the consumer of the same plugin.
    bool round_trip = true;    // what the publisher sends, the consumer of the same topic receives
    bool keeps_binary = true;  // payload bytes 0..255
    bool keeps_null = false;   // a null payload differs from an empty one
    bool keeps_empty = true;   // an empty payload
    bool keeps_id = false;
    bool keeps_metadata = true;  // text entries
    bool keeps_types = true;     // all other metadata types
    bool keeps_repeated = true;  // repeated keys, in order
    std::uint64_t max_payload = 1 << 20;
    bool keeps_order = true;               // one publisher, one consumer
    std::string payload = "message-${N}";  // what the kit sends
    bool json_payload = false;             // payloads must be JSON texts
    bool passes = true;                    // a middleware, or an endpoint that nests others, gives on every message, one for one
    // How it behaves.
    bool consumer_first = false;               // a message reaches only consumers that are connected when it is sent
    bool drain_waits_for_publisher = false;    // with drain, END comes only after the publishers of this process are freed
    bool redelivers = true;                    // false: what is freed unsettled comes again only after something that the kit cannot do
    bool sends_wait_for_consumer = false;      // a send stays pending until somebody receives
    bool keeps_threads = false;                // the library's own threads stay after free
    bool needs_service = false;                // connect needs something outside: a failing connect skips instead of failing
    std::uint32_t feed = 20;                   // how many messages a case puts to the source at most
    std::chrono::milliseconds patience{5000};  // for what must happen
    std::chrono::milliseconds quiet{300};      // how long nothing must come before the kit believes that nothing comes
    std::string disconnect;                    // shell command that breaks the connection
    std::string control_id;                    // a control id that answers OK
    std::string reply_to;                      // handlers and responding publishers: a payload that is answered
    std::vector<std::string> unknown;          // names in the file that the kit does not know
};

quirks quirks_from(const boost::json::object&);
std::string quirks_as_text();  // a table of names, defaults and meanings, for README.md

}  // namespace mqb::conformance
