#include "core/middlewares/stage_factory.hpp"

#include "core/call.hpp"
#include "core/middlewares/stage_consumer.hpp"
#include "core/middlewares/stage_publisher.hpp"

#include <utility>

namespace mqb::core {

stage_factory::stage_factory(std::string name) : name_(std::move(name)) {}

result<promises> stage_factory::promise(std::string_view config, side which, promises inner) const {
    if (const auto made = make(config, which); !made) return made.error();
    if (which == publisher_side) inner.flags &= ~std::uint32_t{promises::transactional};  // part of a send may end above it
    return inner;
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> stage_factory::wrap(instance_context context, std::string config,
                                                                              consumer& inner) {
    // Told by `check` already; this is for who makes chains in code.
    const bool has_ledger = context.inner.unit == settle_unit::message && (context.inner.dispositions & bit(disposition::reject)) != 0;
    if (!has_ledger) co_return failure{status::bad_config, '"' + name_ + "\" needs a ledger below: an input that settles in any order"};
    auto made = make(config, consumer_side);
    if (!made) co_return made.error();
    co_return std::unique_ptr<consumer>{std::make_unique<stage_consumer>(
        inner, std::move(*made), context.box, stage_log{context.log, name_, std::move(context.route), std::move(context.path)})};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> stage_factory::wrap(instance_context context, std::string config,
                                                                               publisher& inner) {
    auto made = make(config, publisher_side);
    if (!made) co_return made.error();
    co_return std::unique_ptr<publisher>{std::make_unique<stage_publisher>(
        inner, std::move(*made), stage_log{context.log, name_, std::move(context.route), std::move(context.path)})};
}

}  // namespace mqb::core
