// dlq: the middleware of outputs that sends to another endpoint what cannot be delivered.
#pragma once

#include "core/registry.hpp"

namespace mqb::core {

class dlq_factory final : public middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<promises> promise(std::string_view config, side which, promises inner) const override;
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config, consumer& inner) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                    publisher& inner) override;
};

}  // namespace mqb::core
