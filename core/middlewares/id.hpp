// id: the middleware that gives a message the identity that its business knows it by, in the metadata `mqb.id`.
#pragma once

#include "core/middlewares/stage_factory.hpp"

namespace mqb::core {

class id_factory final : public stage_factory {
public:
    id_factory() : stage_factory("id") {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<std::unique_ptr<message_stage>> make(std::string_view config, side which) const override;
};

}  // namespace mqb::core
