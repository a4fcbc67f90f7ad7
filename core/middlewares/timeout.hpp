// timeout: the middleware of outputs that gives up on a send which takes too long.
#pragma once

#include "core/middlewares/output_middleware.hpp"

namespace mqb::core {

class timeout_factory final : public output_middleware {
public:
    timeout_factory() : output_middleware("timeout") {}
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<promises> promise(std::string_view config, side which, promises inner) const override;
    using output_middleware::wrap;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                    publisher& inner) override;
};

}  // namespace mqb::core
