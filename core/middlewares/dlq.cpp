#include "core/middlewares/dlq.hpp"

#include "core/middlewares/dlq_publisher.hpp"

namespace mqb::core {

std::string_view dlq_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "sends what the endpoint refused for good, and what a retry next to the endpoint has given up, to a dead-letter endpoint",
  "properties": {
    "endpoint": {"x-mqb-endpoint": "publisher", "description": "where dead letters go, with the reason in the metadata mq_bridge.dlq.error, mq_bridge.dlq.route and mq_bridge.dlq.timestamp_ms"}
  },
  "required": ["endpoint"],
  "additionalProperties": false
})";
}

// A refused message whose dead letter cannot be written now comes back to be sent again, while others behind it have arrived:
// the order of what is sent again is not kept, but as many sends as before may be in flight. A dead letter may come twice.
result<promises> dlq_factory::promise(std::string_view, side, promises inner) const {
    if (inner.has(promises::ordered_retry)) inner.flags |= promises::concurrent;
    inner.flags &= ~std::uint32_t{promises::ordered_retry | promises::idempotent | promises::transactional};
    return inner;
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> dlq_factory::wrap(instance_context context, std::string, publisher& inner) {
    if (!context.nested) co_return failure{status::bad_config, "has no endpoint"};
    auto making = context.nested->make_publisher("/endpoint");
    auto made = co_await std::move(making);
    if (!made) co_return made.error();
    co_return std::unique_ptr<publisher>{
        std::make_unique<dlq_publisher>(inner, std::move(*made), context.route, context.box, context.clock)};
}

}  // namespace mqb::core
