// static: the input that gives the same text again and again, and the output that answers with it.
#pragma once

#include "core/registry.hpp"

namespace mqb::core {

class static_factory final : public endpoint_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<promises> promise(std::string_view config, side which) const override;
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(instance_context context, std::string config) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(instance_context context, std::string config) override;
};

}  // namespace mqb::core
