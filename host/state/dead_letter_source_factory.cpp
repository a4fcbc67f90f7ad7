#include "host/state/dead_letter_source.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace mqb::state {

namespace {

namespace json = boost::json;
using core::failure;
using core::status;

failure bad(const std::string& text) { return {status::bad_config, text}; }

std::string text_of(const json::value& v) { return {v.get_string().data(), v.get_string().size()}; }

std::optional<std::uint64_t> count_of(const json::value& v) {
    if (v.is_uint64()) return v.get_uint64();
    if (v.is_int64() && v.get_int64() >= 0) return static_cast<std::uint64_t>(v.get_int64());
    return std::nullopt;
}

}  // namespace

std::string to_config(const letter_filter& filter) {
    json::object out;
    if (!filter.ids.empty()) out["ids"] = json::array(filter.ids.begin(), filter.ids.end());
    if (!filter.route.empty()) out["route"] = filter.route;
    if (!filter.endpoint.empty()) out["endpoint"] = filter.endpoint;
    if (filter.why) out["class"] = json::string_view{class_name(*filter.why).data(), class_name(*filter.why).size()};
    if (filter.since) out["since"] = *filter.since;
    if (filter.until) out["until"] = *filter.until;
    if (!filter.error.empty()) out["error"] = filter.error;
    if (filter.limit != 0) out["limit"] = filter.limit;
    return json::serialize(out);
}

core::result<letter_filter> filter_of(std::string_view config) {
    boost::system::error_code failed;
    const json::value value = json::parse({config.data(), config.size()}, failed);
    if (failed || !value.is_object()) return bad("is not a JSON object");
    letter_filter out;
    for (const auto& member : value.get_object()) {
        const std::string key{member.key().data(), member.key().size()};
        const json::value& v = member.value();
        const auto number = count_of(v);
        if (key == "ids" && v.is_array()) {
            for (const json::value& id : v.get_array()) {
                if (!id.is_int64()) return bad("ids: holds what is no id");
                out.ids.push_back(id.get_int64());
            }
        } else if (key == "class" && v.is_string()) {
            out.why = class_of(text_of(v));
            if (!out.why) return bad("class: refused, exhausted or max_deliveries");
        } else if (key == "route" && v.is_string()) {
            out.route = text_of(v);
        } else if (key == "endpoint" && v.is_string()) {
            out.endpoint = text_of(v);
        } else if (key == "error" && v.is_string()) {
            out.error = text_of(v);
        } else if (key == "since" && number) {
            out.since = number;
        } else if (key == "until" && number) {
            out.until = number;
        } else if (key == "limit" && number) {
            out.limit = *number;
        } else {
            return bad(key + ": unknown, or of another type");
        }
    }
    return out;
}

std::string_view dead_letter_source_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "reads the dead letters of the host's store that meet all that is set, each once",
  "properties": {
    "ids": {"type": "array", "items": {"type": "integer"}, "description": "these letters"},
    "route": {"type": "string", "description": "of this route"},
    "endpoint": {"type": "string", "description": "that failed at this endpoint"},
    "class": {"type": "string", "enum": ["refused", "exhausted", "max_deliveries"], "description": "that died of this"},
    "since": {"type": "integer", "minimum": 0, "description": "whose last failure was not before; ns since 1970"},
    "until": {"type": "integer", "minimum": 0, "description": "whose last failure was before; ns since 1970"},
    "error": {"type": "string", "description": "with this text in their error"},
    "limit": {"type": "integer", "minimum": 0, "default": 0, "description": "the first so many; 0: all"}
  },
  "additionalProperties": false
})";
}

core::result<core::promises> dead_letter_source_factory::promise(std::string_view config, core::side which) const {
    if (which != core::consumer_side) return failure{status::unsupported, "dead letters can only be read"};
    if (auto filter = filter_of(config); !filter) return filter.error();
    return dead_letter_source::promised();
}

boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> dead_letter_source_factory::make_consumer(
    core::instance_context context, std::string config) {
    auto filter = filter_of(config);
    if (!filter) co_return filter.error();
    co_return std::unique_ptr<core::consumer>{std::make_unique<dead_letter_source>(file_, std::move(*filter), context.box, clean_)};
}

boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> dead_letter_source_factory::make_publisher(core::instance_context,
                                                                                                                  std::string) {
    co_return failure{status::unsupported, "dead letters can only be read"};
}

}  // namespace mqb::state
