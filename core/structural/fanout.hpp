// fanout: the output that sends each message to all of several endpoints.
#pragma once

#include "core/registry.hpp"

namespace mqb::core {

class fanout_factory final : public endpoint_factory {
public:
    static constexpr std::size_t most_branches = 64;

    [[nodiscard]] std::uint32_t sides() const noexcept override { return publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    // As if nothing stood inside.
    [[nodiscard]] result<promises> promise(std::string_view config, side which) const override;
    [[nodiscard]] result<promises> promise_over(std::string_view config, side which, const nested_promises& inside) const override;
    [[nodiscard]] std::vector<failure> mistakes(std::string_view config, side which) const override;
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(instance_context context, std::string config) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(instance_context context, std::string config) override;
};

}  // namespace mqb::core
