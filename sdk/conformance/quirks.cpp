#include "quirks.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <stdexcept>

namespace mqb::conformance {
namespace {
namespace json = boost::json;

struct one {
    const char *name, *standard, *meaning;
    std::function<void(quirks&, const json::value&)> set;
};
template <class T, class Member>
std::function<void(quirks&, const json::value&)> into(Member quirks::*member) {
    return [member](quirks& q, const json::value& v) {
        if constexpr (std::is_same_v<T, bool>)
            q.*member = v.as_bool();
        else if constexpr (std::is_same_v<T, std::string>)
            q.*member = std::string(v.as_string());
        else
            q.*member = Member(v.to_number<std::uint64_t>());
    };
}
const std::vector<one>& table() {
    using n = std::uint64_t;
    static const std::vector<one> all = {
        {"round_trip", "true", "what the publisher sends, the consumer of the same topic receives", into<bool>(&quirks::round_trip)},
        {"keeps_binary", "true", "payloads of any bytes", into<bool>(&quirks::keeps_binary)},
        {"keeps_null", "false", "a null payload arrives as null", into<bool>(&quirks::keeps_null)},
        {"keeps_empty", "true", "an empty payload arrives as empty", into<bool>(&quirks::keeps_empty)},
        {"keeps_id", "false", "the id arrives", into<bool>(&quirks::keeps_id)},
        {"keeps_metadata", "true", "metadata of type text arrives", into<bool>(&quirks::keeps_metadata)},
        {"keeps_types", "true", "metadata of the other types arrives typed", into<bool>(&quirks::keeps_types)},
        {"keeps_repeated", "true", "repeated metadata keys arrive, in order", into<bool>(&quirks::keeps_repeated)},
        {"keeps_order", "true", "one publisher to one consumer keeps the order", into<bool>(&quirks::keeps_order)},
        {"payload", "\"message-${N}\"", "the payload that the kit sends, ${N} a number", into<std::string>(&quirks::payload)},
        {"json_payload", "false", "a payload must be a JSON text", into<bool>(&quirks::json_payload)},
        {"passes", "true", "a middleware, or an endpoint that nests others, gives on every message, one for one",
         into<bool>(&quirks::passes)},
        {"max_payload", "1048576", "bytes of the largest payload that is tried", into<n>(&quirks::max_payload)},
        {"consumer_first", "false", "a message reaches only consumers connected before it is sent", into<bool>(&quirks::consumer_first)},
        {"drain_waits_for_publisher", "false", "with drain, END comes only after the publishers in this process are freed",
         into<bool>(&quirks::drain_waits_for_publisher)},
        {"redelivers", "true", "false: redelivery needs something that the kit cannot do (a lease of minutes)",
         into<bool>(&quirks::redelivers)},
        {"sends_wait_for_consumer", "false", "a send is pending until somebody receives", into<bool>(&quirks::sends_wait_for_consumer)},
        {"keeps_threads", "false", "threads of the client library stay after free", into<bool>(&quirks::keeps_threads)},
        {"needs_service", "false", "a connect that fails skips the case (a broker may be missing)", into<bool>(&quirks::needs_service)},
        {"feed", "20", "messages that a case puts to the source at most", into<n>(&quirks::feed)},
        {"patience_ms", "5000", "how long the kit waits for what must happen", into<n>(&quirks::patience)},
        {"quiet_ms", "300", "how long the kit waits for what must not happen", into<n>(&quirks::quiet)},
        {"disconnect", "\"\"", "shell command that breaks the connection, where no control does (`provoke`)",
         into<std::string>(&quirks::disconnect)},
        {"control_id", "\"\"", "a control id that answers OK", into<std::string>(&quirks::control_id)},
        {"reply_to", "\"\"", "a payload that a handler or responding publisher answers", into<std::string>(&quirks::reply_to)},
    };
    return all;
}
}  // namespace

quirks quirks_from(const json::object& o) {
    quirks q;
    for (const auto& [key, value] : o) {
        bool found = false;
        for (const one& each : table())
            if (key == each.name) {
                try {
                    each.set(q, value);
                } catch (const std::exception&) {
                    throw std::runtime_error("quirk \"" + std::string(key) + "\" has a value of a wrong type");
                }
                found = true;
            }
        if (!found) q.unknown.push_back(std::string(key));
    }
    return q;
}

std::string quirks_as_text() {
    std::string out = "| Quirk | Default | Meaning |\n|---|---|---|\n";
    for (const one& each : table()) out += std::string("| `") + each.name + "` | `" + each.standard + "` | " + each.meaning + " |\n";
    return out;
}

}  // namespace mqb::conformance
