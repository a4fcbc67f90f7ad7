// metrics: a middleware that does nothing, because what it is for is always done.
#pragma once

#include "core/registry.hpp"

namespace mqb::core {

// For inputs and outputs. Route files of others ask for what every route counts anyway.
class metrics_factory final : public middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<promises> promise(std::string_view, side, promises inner) const override { return inner; }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config, consumer& inner) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                    publisher& inner) override;
};

}  // namespace mqb::core
