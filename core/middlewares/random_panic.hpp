// random_panic: the middleware that makes calls go wrong on purpose, to see what a route does then.
#pragma once

#include "core/middlewares/fault.hpp"
#include "core/middlewares/shared_by_place.hpp"

namespace mqb::core {

// For inputs and outputs. The workers of a route count their calls together.
class random_panic_factory final : public middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<promises> promise(std::string_view config, side which, promises inner) const override;
    [[nodiscard]] bool injects_faults(std::string_view config) const override;
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config, consumer& inner) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                    publisher& inner) override;

private:
    shared_by_place<fault_plan> plans_;
};

}  // namespace mqb::core
