#include "core/middlewares/retry.hpp"

#include "core/middlewares/ordered_retry_publisher.hpp"
#include "core/middlewares/retry_publisher.hpp"

namespace mqb::core {

std::string_view retry_factory::schema() const noexcept {
    return R"({
  "type": ["object", "null"],
  "description": "sends again, after a pause that grows, what the endpoint refused for now; what was refused for good passes at once, and a lost connection is made again below it",
  "properties": {
    "max_attempts": {"type": "integer", "minimum": 0, "maximum": 4294967295, "default": 3, "description": "tries in all; 0 is 1"},
    "initial_interval_ms": {"type": "integer", "minimum": 0, "maximum": 1000000000, "default": 100, "description": "pause after the first try"},
    "max_interval_ms": {"type": "integer", "minimum": 0, "maximum": 1000000000, "default": 5000, "description": "the longest pause"},
    "multiplier": {"type": "number", "minimum": 0, "default": 2.0, "description": "by which the pause grows with each try"},
    "jitter": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.2, "description": "share of a pause by which it is longer or shorter, at random; 0: the pauses are exact"},
    "max_elapsed_ms": {"type": "integer", "minimum": 0, "maximum": 1000000000, "default": 0, "description": "no try starts so long after the first; 0: no limit"}
  },
  "additionalProperties": false
})";
}

// What is sent again comes late, as it would without this, unless the inner side keeps its place: then this does.
result<promises> retry_factory::promise(std::string_view config, side, promises inner) const {
    if (const auto policy = retry_policy::read(config); !policy) return policy.error();
    inner.flags &= ~std::uint32_t{promises::transactional};  // a send that was refused in part goes on in parts
    return inner;
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> retry_factory::wrap(instance_context context, std::string config,
                                                                               publisher& inner) {
    const auto policy = retry_policy::read(config);
    if (!policy) co_return policy.error();
    std::unique_ptr<publisher> made;
    if (context.inner.has(promises::ordered_retry))
        made = std::make_unique<ordered_retry_publisher>(inner, *policy, context.box, context.clock, context.links);
    else
        made = std::make_unique<retry_publisher>(inner, *policy, context.clock, context.inner.has(promises::ordered), context.links);
    co_return std::move(made);
}

}  // namespace mqb::core
