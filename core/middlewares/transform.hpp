// transform: the middleware that makes another payload of each message.
#pragma once

#include "core/middlewares/stage_factory.hpp"

namespace mqb::core {

class transform_factory final : public stage_factory {
public:
    transform_factory() : stage_factory("transform") {}
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<std::unique_ptr<message_stage>> make(std::string_view config, side which) const override;
};

}  // namespace mqb::core
