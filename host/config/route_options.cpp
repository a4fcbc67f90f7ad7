#include "host/config/route_options.hpp"

#include "host/config/order_key.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

namespace mqb::config {

namespace {

namespace json = boost::json;

// The longest time: a year. What is longer overflows in nanoseconds, and is a mistake.
constexpr std::string_view schema_text = R"({
  "type": "object",
  "properties": {
    "input": {"x-mqb-endpoint": "consumer", "description": "the endpoint that messages come from"},
    "output": {"x-mqb-endpoint": "publisher", "description": "the endpoint that they go to; without one they are discarded"},
    "description": {"type": "string", "default": "", "description": "for people"},
    "enabled": {"type": "boolean", "default": true, "description": "false: checked, but not run"},
    "concurrency": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 1, "description": "batches in work at once"},
    "batch_size": {"type": "integer", "minimum": 1, "maximum": 100000000, "default": 512, "description": "messages of one batch, at most"},
    "batch_bytes": {"type": "integer", "minimum": 1, "x-mqb-size": true, "default": 16777216, "description": "bytes of one batch, at most; a larger message goes alone"},
    "max_in_flight_bytes": {"type": "integer", "minimum": 1, "x-mqb-size": true, "default": 67108864, "description": "bytes that the route holds, at most; a larger message waits and goes alone"},
    "send_window": {"type": "integer", "minimum": 1, "maximum": 65536, "default": 8, "description": "sends started in order before the first is confirmed"},
    "commit_concurrency_limit": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 4096, "description": "settlements in flight, at most"},
    "order_by": {"type": "string", "description": "a template, or ${lane}; with concurrency: messages of one value stay in order"},
    "max_deliveries": {"type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0, "description": "presentations of a message before it is dead; 0: no limit"},
    "on_error": {"type": "string", "enum": ["dead_letter", "reject", "stop"], "default": "dead_letter", "description": "what a permanent failure does"},
    "dead_letters": {"type": "object", "description": "takes what no `dlq` took", "additionalProperties": false, "properties": {
      "endpoint": {"x-mqb-endpoint": "publisher", "description": "where dead letters go, instead of the host's store"},
      "max_bytes": {"type": "integer", "minimum": 1, "x-mqb-size": true, "default": 1073741824, "description": "bytes of dead letters; then the route pauses"},
      "stop_after": {"type": "integer", "minimum": 0, "maximum": 4294967295, "default": 1000, "description": "so many dead letters in a row pause the route; 0: never"}
    }},
    "required_delivery": {"type": "string", "enum": ["at_most_once", "at_least_once", "effectively_once"], "description": "the least guarantee, else the route is refused"},
    "require": {"type": "array", "items": {"type": "string", "enum": ["at_least_once", "ordered", "effectively_once"]}, "description": "the least guarantees, else the route is refused"},
    "startup_timeout_ms": {"type": "integer", "minimum": 1, "maximum": 31536000000, "description": "set: the route fails when it has not connected by then"},
    "reconnect_interval_ms": {"type": "integer", "minimum": 1, "maximum": 31536000000, "default": 5000, "description": "the longest pause between two tries"},
    "empty_batch_delay_ms": {"type": "integer", "minimum": 0, "maximum": 31536000000, "default": 10, "description": "pause before an empty input is asked again"},
    "shutdown_timeout_ms": {"type": "integer", "minimum": 0, "maximum": 31536000000, "default": 10000, "description": "time to finish what is in flight"},
    "exit_on_empty": {"type": "boolean", "default": false, "description": "end at the end of the input"},
    "allow_fault_injection": {"type": "boolean", "default": false, "description": "lets middlewares that inject faults run"},
    "handler": {"type": "object", "description": "a handler plugin; not supported by this version"}
  },
  "required": ["input"],
  "additionalProperties": false
})";

core::error_policy policy_of(std::string_view name) {
    if (name == "reject") return core::error_policy::reject;
    return name == "stop" ? core::error_policy::stop : core::error_policy::dead_letter;
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
        if (failed) return;
        if constexpr (std::is_integral_v<T>) {
            to = static_cast<T>(number);
        } else {
            to = std::chrono::milliseconds{number};
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

namespace {

void read_requirements(const node& value, const place& where, route_options& out, core::route_definition& definition) {
    for (const char* key : {"required_delivery", "require"}) {
        const entry* given = value.find(key);
        if (!given) continue;
        const std::string path = joined(where.path, key);
        if (given->value->what == shape::scalar) out.require.push_back({given->value->text, given->at, path});
        for (const node_ptr& item : given->value->items) out.require.push_back({item->text, item->at, path});
    }
    for (const requirement& r : out.require) definition.keep_order |= r.what == "ordered";
}

void read_order(const node& value, const place& where, core::route_definition& definition, findings& to) {
    const entry* given = value.find("order_by");
    if (!given || given->value->what != shape::scalar) return;
    auto key = read_order_key(given->value->text);
    if (!key)
        return to.error(given->value->at, joined(where.path, "order_by"), key.error().text,
                        given->value->is_secret ? std::string{} : key.error().excerpt);
    definition.order_by = std::move(*key);
    definition.order_by_is_lane = given->value->text == "${lane}";
}

}  // namespace

route_options read_route_options(const node& value, const place& where, core::route_definition& definition, validation& checks,
                                 findings& to) {
    json::error_code failed;
    const json::value parsed = json::parse(checks.check(value, route_schema(), where), failed);
    route_options out;
    out.endpoints = checks.take_nested();
    if (failed || !parsed.is_object()) return out;
    if (const entry* e = value.find("handler"); e && e->value->what != shape::null)
        to.error(e->at, joined(where.path, "handler"), "handlers are not supported by this version");

    const reader from{parsed.get_object()};
    from.into("enabled", out.enabled);
    from.into("description", out.description);
    from.into("exit_on_empty", definition.drain);
    from.into("allow_fault_injection", definition.allows_faults);
    from.into("concurrency", definition.concurrency);
    from.into("batch_size", definition.batch_size);
    from.into("batch_bytes", definition.batch_bytes);
    from.into("max_in_flight_bytes", definition.max_in_flight_bytes);
    from.into("send_window", definition.send_window);
    from.into("commit_concurrency_limit", definition.commit_concurrency_limit);
    from.into("max_deliveries", definition.max_deliveries);
    from.into("startup_timeout_ms", definition.startup_timeout);
    from.into("empty_batch_delay_ms", definition.empty_batch_delay);
    from.into("reconnect_interval_ms", definition.reconnect_interval);
    from.into("shutdown_timeout_ms", definition.shutdown_timeout);
    out.has_shutdown_timeout = value.find("shutdown_timeout_ms") != nullptr;
    std::string policy;
    from.into("on_error", policy);
    definition.on_error = policy_of(policy);
    if (definition.on_error == core::error_policy::reject) {
        const entry* given = value.find("on_error");
        out.reject = requirement{"reject", given->value->at, joined(where.path, "on_error")};
    }
    if (const json::value* dead = parsed.get_object().if_contains("dead_letters"); dead && dead->is_object()) {
        const reader inside{dead->get_object()};
        inside.into("max_bytes", definition.dead_letters.max_bytes);
        inside.into("stop_after", definition.dead_letters.stop_after);
    }
    read_order(value, where, definition, to);
    read_requirements(value, where, out, definition);
    return out;
}

}  // namespace mqb::config
