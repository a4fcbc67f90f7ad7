// filter: the middleware that lets through only messages of which an expression holds.
#pragma once

#include "core/middlewares/stage_factory.hpp"

namespace mqb::core {

class filter_factory final : public stage_factory {
public:
    filter_factory() : stage_factory("filter") {}
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<std::unique_ptr<message_stage>> make(std::string_view config, side which) const override;
};

}  // namespace mqb::core
