#include "core/structural/switch.hpp"

#include "core/structural/switch_publisher.hpp"

#include <utility>

namespace mqb::core {

std::string_view switch_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "sends each message to one of several endpoints, by what a metadata key says or by the first condition that holds",
  "properties": {
    "metadata_key": {"type": "string", "default": "", "description": "whose value is looked up in cases"},
    "cases": {"type": "object", "additionalProperties": {"x-mqb-endpoint": "publisher"}, "default": {}, "description": "values of the metadata key, and the endpoint for each"},
    "when": {"type": "array", "items": {"type": "object", "properties": {
        "if": {"type": "string", "description": "true or false for each message, as docs/expressions.md describes"},
        "to": {"x-mqb-endpoint": "publisher", "description": "where the message goes if it is the first that holds"}
      }, "required": ["if", "to"], "additionalProperties": false}, "default": [], "description": "conditions that are tried in their order, each a map with if, an expression, and to, an endpoint"},
    "default": {"x-mqb-endpoint": "publisher", "description": "where everything else goes; without it a message that nothing matches is refused"}
  },
  "additionalProperties": false
})";
}

result<promises> switch_factory::promise(std::string_view config, side which) const {
    const auto wrong = mistakes(config, which);
    if (!wrong.empty()) return wrong.front();
    return promises{};
}

result<promises> switch_factory::promise_over(std::string_view config, side which, const nested_promises& inside) const {
    const auto wrong = mistakes(config, which);
    if (!wrong.empty()) return wrong.front();
    return promise_of_branches(inside);
}

std::vector<failure> switch_factory::mistakes(std::string_view config, side) const {
    std::vector<failure> out;
    (void)switch_choice::read(config, {}, out);
    return out;
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> switch_factory::make_consumer(instance_context, std::string) {
    co_return failure{status::unsupported, "\"switch\" cannot stand at an input"};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> switch_factory::make_publisher(instance_context context, std::string config) {
    if (!context.nested) co_return failure{status::bad_config, "has no endpoints"};
    std::vector<failure> wrong;
    auto choice = switch_choice::read(config, context.nested->all(), wrong);
    if (!choice) co_return wrong.front();
    const auto promised = promise_of_branches(*context.nested);
    if (!promised) co_return promised.error();
    auto making = make_branches(context);
    auto made = co_await std::move(making);
    if (!made) co_return made.error();
    co_return std::unique_ptr<publisher>{
        std::make_unique<switch_publisher>(std::move(*made), promised->has(promises::ordered_retry), std::move(*choice))};
}

}  // namespace mqb::core
