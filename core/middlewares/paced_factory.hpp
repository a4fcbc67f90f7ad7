// paced_factory: what the factories of middlewares that slow a route down have in common.
#pragma once

#include "core/middlewares/paced_consumer.hpp"
#include "core/middlewares/paced_publisher.hpp"
#include "core/registry.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mqb::core {

class paced_factory : public middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept final { return consumer_side | publisher_side; }
    // Keeps all promises.
    [[nodiscard]] result<promises> promise(std::string_view config, side, promises inner) const final {
        if (const auto made = make(config); !made) return made.error();
        return inner;
    }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config, consumer& inner) final {
        auto speed = make(config);
        if (!speed) co_return speed.error();
        co_return std::unique_ptr<consumer>{
            std::make_unique<paced_consumer>(inner, when(), shared(context, std::move(*speed)), context.clock, context.links)};
    }
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config, publisher& inner) final {
        auto speed = make(config);
        if (!speed) co_return speed.error();
        const bool keeps_retry_order = context.inner.has(promises::ordered_retry);
        co_return std::unique_ptr<publisher>{
            std::make_unique<paced_publisher>(inner, shared(context, std::move(*speed)), context.clock, keeps_retry_order, context.links)};
    }

protected:
    // config: JSON that is valid against the schema. The failure is one of the configuration.
    [[nodiscard]] virtual result<std::shared_ptr<pace>> make(std::string_view config) const = 0;
    [[nodiscard]] virtual paced_consumer::waits when() const noexcept = 0;
    // The pace of one instance: its own, or that of others.
    [[nodiscard]] virtual std::shared_ptr<pace> shared(const instance_context& context, std::shared_ptr<pace> own) {
        return (void)context, own;
    }
};

}  // namespace mqb::core
