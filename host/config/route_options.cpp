#include "host/config/route_options.hpp"

#include "host/config/near_match.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cstdlib>

namespace mqb::config {

namespace {

namespace json = boost::json;

constexpr std::string_view schema_text = R"({
  "type": "object",
  "properties": {
    "input": {"description": "the endpoint that messages come from"},
    "output": {"description": "the endpoint that they go to"},
    "description": {"type": "string", "default": "", "description": "for people"},
    "enabled": {"type": "boolean", "default": true, "description": "false: checked, but not run"},
    "concurrency": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 1, "description": "batches in work at once"},
    "batch_size": {"type": "integer", "minimum": 1, "maximum": 100000000, "default": 512, "description": "messages of one batch, at most"},
    "batch_bytes": {"type": "integer", "x-mqb-size": true, "default": 16777216, "description": "bytes of one batch, at most"},
    "max_in_flight_bytes": {"type": "integer", "x-mqb-size": true, "default": 67108864, "description": "bytes that the route holds, at most"},
    "send_window": {"type": "integer", "minimum": 1, "maximum": 65536, "default": 8, "description": "sends started before the first is confirmed"},
    "commit_concurrency_limit": {"type": "integer", "minimum": 1, "default": 4096, "description": "settlements in flight, at most"},
    "startup_timeout_ms": {"type": "integer", "minimum": 1, "description": "set: the route fails when it has not connected by then"},
    "reconnect_interval_ms": {"type": "integer", "minimum": 1, "default": 5000, "description": "the longest pause between two tries"},
    "empty_batch_delay_ms": {"type": "integer", "minimum": 0, "default": 10, "description": "pause before an empty input is asked again"},
    "shutdown_timeout_ms": {"type": "integer", "minimum": 0, "default": 10000, "description": "time to finish what is in flight"},
    "allow_fault_injection": {"type": "boolean", "default": false, "description": "lets middlewares that inject faults run"},
    "exit_on_empty": {"type": "boolean", "default": false, "description": "end at the end of the input"},
    "required_delivery": {"type": "string", "enum": ["at_most_once", "at_least_once", "effectively_once"], "description": "the least guarantee"},
    "require": {"type": "array", "items": {"type": "string", "enum": ["at_least_once", "ordered", "effectively_once"]}, "description": "the least guarantees"},
    "order_by": {"type": "string", "description": "order per key with concurrency"},
    "max_deliveries": {"type": "integer", "minimum": 0, "default": 0, "description": "presentations of a message before it is dead; 0: no limit"},
    "on_error": {"type": "string", "enum": ["dead_letter", "reject", "stop"], "default": "dead_letter", "description": "what a permanent failure does"},
    "dead_letters": {"type": "object", "description": "takes what nothing else took"},
    "handler": {"type": "object", "description": "a handler plugin"}
  },
  "required": ["input"],
  "additionalProperties": false
})";

// Values whose work is not done yet. What would change the fate of a message is refused, the rest is told.
void tell_unsupported(const node& value, const json::object& read, const place& where, findings& to) {
    const auto at = [&](const char* key) { return value.find(key); };
    const auto path = [&](const char* key) { return joined(where.path, key); };
    for (const char* key : {"order_by", "dead_letters", "handler"})
        if (const entry* e = at(key); e && e->value->what != shape::null) to.error(e->at, path(key), "not supported by this version");
    const auto number = [&](const char* key) { return read.contains(key) && read.at(key).is_int64() ? read.at(key).get_int64() : 0; };
    if (number("max_deliveries") > 0) to.error(at("max_deliveries")->at, path("max_deliveries"), "not supported by this version");
    if (at("on_error") && read.at("on_error") != "dead_letter" && !read.at("on_error").is_null())
        to.error(at("on_error")->at, path("on_error"), "only dead_letter is supported by this version");
    if (number("concurrency") > 1) to.warning(at("concurrency")->at, path("concurrency"), "this version works on one batch at a time");
    if (number("startup_timeout_ms") > 0)
        to.warning(at("startup_timeout_ms")->at, path("startup_timeout_ms"),
                   "not supported by this version: the route waits until it is connected");
}

class reader {
public:
    explicit reader(const json::object& from) : from_(from) {}
    template <class T>
    void into(const char* key, T& to) const {
        const json::value* value = from_.if_contains(key);
        if (!value || !value->is_number()) return;
        boost::system::error_code failed;
        const auto number = value->to_number<std::int64_t>(failed);
        if constexpr (std::is_integral_v<T>) {
            if (!failed) to = static_cast<T>(number);
        } else {
            if (!failed) to = T{number};
        }
    }
    void into(const char* key, bool& to) const {
        const json::value* value = from_.if_contains(key);
        if (value && value->is_bool()) to = value->get_bool();
    }
    void into(const char* key, std::string& to) const {
        const json::value* value = from_.if_contains(key);
        if (value && value->is_string()) to.assign(value->get_string().data(), value->get_string().size());
    }

private:
    const json::object& from_;
};

}  // namespace

const schema& route_schema() {
    static const std::shared_ptr<const schema> read = read_schema(schema_text).value();
    return *read;
}

route_options read_route_options(const node& value, const place& where, core::route_definition& definition, validation& checks,
                                 findings& to) {
    // The endpoints have rules of their own: here they are only known keys.
    node plain = value;
    for (entry& e : plain.entries)
        if (e.key == "input" || e.key == "output") e.value = std::make_shared<const node>(node{shape::map, e.at, {}, false, {}, {}, 1, 1});
    json::error_code failed;
    const json::value parsed = json::parse(checks.check(plain, route_schema(), where), failed);
    route_options out;
    if (failed || !parsed.is_object()) return out;
    tell_unsupported(value, parsed.get_object(), where, to);

    const reader from{parsed.get_object()};
    from.into("enabled", out.enabled);
    from.into("description", out.description);
    from.into("exit_on_empty", definition.drain);
    from.into("batch_size", definition.batch_size);
    from.into("batch_bytes", definition.batch_bytes);
    from.into("max_in_flight_bytes", definition.max_in_flight_bytes);
    from.into("send_window", definition.send_window);
    from.into("empty_batch_delay_ms", definition.empty_batch_delay);
    from.into("reconnect_interval_ms", definition.reconnect_interval);
    from.into("shutdown_timeout_ms", definition.shutdown_timeout);
    for (const char* key : {"required_delivery", "require"}) {
        const entry* given = value.find(key);
        if (!given) continue;
        const std::string path = joined(where.path, key);
        if (given->value->what == shape::scalar) out.require.push_back({given->value->text, given->at, path});
        for (const node_ptr& item : given->value->items) out.require.push_back({item->text, item->at, path});
    }
    return out;
}

}  // namespace mqb::config
