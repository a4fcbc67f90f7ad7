// delay: waits before each receive or send.
#pragma once

#include "core/middlewares/paced_factory.hpp"

namespace mqb::core {

// For inputs and outputs. A worker of a route has its own.
class delay_factory final : public paced_factory {
public:
    [[nodiscard]] std::string_view schema() const noexcept override;

private:
    [[nodiscard]] result<std::shared_ptr<pace>> make(std::string_view config) const override;
    [[nodiscard]] paced_consumer::waits when() const noexcept override { return paced_consumer::waits::before; }
};

}  // namespace mqb::core
