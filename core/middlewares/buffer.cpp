#include "core/middlewares/buffer.hpp"

#include "core/middlewares/buffer_consumer.hpp"
#include "core/middlewares/buffer_publisher.hpp"
#include "core/middlewares/config_fields.hpp"

namespace mqb::core {

namespace {

struct setting {
    std::uint32_t max_messages = 0;
    std::uint64_t max_delay_ns = 0;
};

result<setting> read(std::string_view config) {
    const auto fields = config_fields::read(config);
    if (!fields) return fields.error();
    const auto count = fields->number("max_messages"), ms = fields->number("max_delay_ms");
    if (!count || *count < 1 || *count > UINT32_MAX) return failure{status::bad_config, "max_messages: has to be at least 1"};
    if (!ms || *ms < 0 || *ms > 1e9) return failure{status::bad_config, "max_delay_ms: has to be a number of ms"};
    return setting{static_cast<std::uint32_t>(*count), static_cast<std::uint64_t>(*ms * 1e6)};
}

result<setting> read_for_input(std::string_view config, const promises& inner) {
    const auto all = read(config);
    if (!all) return all;
    if (all->max_delay_ns == 0) return failure{status::bad_config, "max_delay_ms: has to be more than 0 on an input"};
    if (!inner.has(promises::emptied_at_stop))
        return failure{status::bad_config, "cannot stand at this input: only next to a source that keeps its messages in this process"};
    return all;
}

}  // namespace

std::string_view buffer_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "puts what comes within a short time together: on an output the sends that are under way at the same time into one, on an input the batches of a source in this process",
  "properties": {
    "max_messages": {"type": "integer", "minimum": 1, "maximum": 100000000, "description": "so many are enough: they go at once"},
    "max_delay_ms": {"type": "integer", "minimum": 0, "maximum": 1000000000, "description": "how long the first of them waits for others, in ms; on an output 0 is not at all, on an input it has to be more"}
  },
  "required": ["max_messages", "max_delay_ms"],
  "additionalProperties": false
})";
}

// One send at a time is below, in order; as many as one likes are above.
result<promises> buffer_factory::promise(std::string_view config, side which, promises inner) const {
    const auto all = which == consumer_side ? read_for_input(config, inner) : read(config);
    if (!all) return all.error();
    if (which == consumer_side) return inner;
    inner.flags |= promises::concurrent;
    inner.flags &= ~std::uint32_t{promises::transactional};
    return inner;
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> buffer_factory::wrap(instance_context context, std::string config,
                                                                               consumer& inner) {
    const auto all = read_for_input(config, context.inner);
    if (!all) co_return all.error();
    const buffer_consumer::limits most{all->max_messages, all->max_delay_ns};
    co_return std::unique_ptr<consumer>{std::make_unique<buffer_consumer>(inner, most, context.clock, context.links)};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> buffer_factory::wrap(instance_context context, std::string config,
                                                                                publisher& inner) {
    const auto all = read(config);
    if (!all) co_return all.error();
    const buffer_publisher::limits most{all->max_messages, all->max_delay_ns};
    const bool keeps_retry_order = context.inner.has(promises::ordered_retry);
    co_return std::unique_ptr<publisher>{
        std::make_unique<buffer_publisher>(inner, most, keeps_retry_order, context.box, context.clock, context.links)};
}

}  // namespace mqb::core
