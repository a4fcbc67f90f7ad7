#include "core/middlewares/timeout.hpp"

#include "core/middlewares/config_fields.hpp"
#include "core/middlewares/timeout_publisher.hpp"

#include <utility>

namespace mqb::core {

namespace {

result<std::uint64_t> limit_of(std::string_view config) {
    const auto fields = config_fields::read(config);
    if (!fields) return fields.error();
    const auto ms = fields->number("timeout_ms");
    if (!ms || *ms < 1 || *ms > 1e12) return failure{status::bad_config, "timeout_ms: has to be a number of ms, at least 1"};
    return static_cast<std::uint64_t>(*ms * 1e6);
}

bool takes_several(const promises& inner) noexcept { return inner.has(promises::concurrent | promises::ordered_retry); }

}  // namespace

std::string_view timeout_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "gives up on a send that is not answered in time: it is cancelled, and its messages have failed for now",
  "properties": {
    "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 1000000000, "description": "how long a send may take, in ms"}
  },
  "required": ["timeout_ms"],
  "additionalProperties": false
})";
}

// What was given up on may still arrive, behind what is sent later. As many sends as before may be in flight.
result<promises> timeout_factory::promise(std::string_view config, side, promises inner) const {
    if (const auto limit = limit_of(config); !limit) return limit.error();
    if (takes_several(inner)) inner.flags |= promises::concurrent;
    inner.flags &= ~std::uint32_t{promises::ordered | promises::ordered_retry | promises::transactional};
    return inner;
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> timeout_factory::wrap(instance_context context, std::string config,
                                                                                 publisher& inner) {
    const auto limit = limit_of(config);
    if (!limit) co_return limit.error();
    co_return std::unique_ptr<publisher>{
        std::make_unique<timeout_publisher>(inner, *limit, takes_several(context.inner), context.box, context.clock,
                                            stage_log{context.log, "timeout", std::move(context.route), std::move(context.path)})};
}

}  // namespace mqb::core
