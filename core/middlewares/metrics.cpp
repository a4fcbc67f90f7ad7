#include "core/middlewares/metrics.hpp"

#include "core/middlewares/passing.hpp"

namespace mqb::core {

std::string_view metrics_factory::schema() const noexcept {
    return R"({
  "type": ["object", "null"],
  "description": "does nothing: what passes through a route is always counted",
  "properties": {},
  "additionalProperties": false
})";
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> metrics_factory::wrap(instance_context, std::string, consumer& inner) {
    co_return std::unique_ptr<consumer>{std::make_unique<passing_consumer>(inner)};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> metrics_factory::wrap(instance_context, std::string, publisher& inner) {
    co_return std::unique_ptr<publisher>{std::make_unique<passing_publisher>(inner)};
}

}  // namespace mqb::core
