#include "core/middlewares/random_panic.hpp"

#include "core/middlewares/faulty_consumer.hpp"
#include "core/middlewares/faulty_publisher.hpp"

#include <utility>

namespace mqb::core {

std::string_view random_panic_factory::schema() const noexcept {
    return R"({
  "type": ["object", "null"],
  "description": "makes receives or sends go wrong on purpose, to see what a route does then; only where the route says allow_fault_injection: true",
  "properties": {
    "mode": {"type": "string", "enum": ["panic", "disconnect", "timeout", "json_format_error", "nack"], "default": "panic", "description": "what goes wrong"},
    "trigger_on_message": {"type": "integer", "minimum": 1, "maximum": 1000000000, "description": "the number of the one call (batch) that goes wrong; none: every call"},
    "enabled": {"type": "boolean", "default": true, "description": "false: everything passes as it is"}
  },
  "additionalProperties": false
})";
}

result<promises> random_panic_factory::promise(std::string_view config, side which, promises inner) const {
    if (const auto setting = fault_setting::read(config); !setting) return setting.error();
    if (which == publisher_side) inner.flags &= ~std::uint32_t{promises::transactional};
    return inner;
}

bool random_panic_factory::injects_faults(std::string_view config) const {
    const auto setting = fault_setting::read(config);
    return setting && setting->is_enabled;
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> random_panic_factory::wrap(instance_context context, std::string config,
                                                                                     consumer& inner) {
    const auto setting = fault_setting::read(config);
    if (!setting) co_return setting.error();
    if (!setting->is_enabled) co_return std::unique_ptr<consumer>{std::make_unique<passing_consumer>(inner)};
    auto plan = plans_.get(context, std::make_shared<fault_plan>(*setting));
    stage_log log{context.log, "random_panic", context.route, context.path};
    co_return std::unique_ptr<consumer>{
        std::make_unique<faulty_consumer>(inner, std::move(plan), context.box, context.clock, std::move(context.path), std::move(log))};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> random_panic_factory::wrap(instance_context context, std::string config,
                                                                                      publisher& inner) {
    const auto setting = fault_setting::read(config);
    if (!setting) co_return setting.error();
    if (!setting->is_enabled) co_return std::unique_ptr<publisher>{std::make_unique<passing_publisher>(inner)};
    auto plan = plans_.get(context, std::make_shared<fault_plan>(*setting));
    co_return std::unique_ptr<publisher>{std::make_unique<faulty_publisher>(inner, std::move(plan), context.box, std::move(context.path))};
}

}  // namespace mqb::core
