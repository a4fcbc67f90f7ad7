// limiter: lets so many messages a second through.
#pragma once

#include "core/middlewares/paced_factory.hpp"
#include "core/middlewares/shared_by_place.hpp"

namespace mqb::core {

// For inputs and outputs. The workers of a route have one limit together.
class limiter_factory final : public paced_factory {
public:
    [[nodiscard]] std::string_view schema() const noexcept override;

private:
    [[nodiscard]] result<std::shared_ptr<pace>> make(std::string_view config) const override;
    [[nodiscard]] paced_consumer::waits when() const noexcept override { return paced_consumer::waits::after; }
    [[nodiscard]] std::shared_ptr<pace> shared(const instance_context& context, std::shared_ptr<pace> own) override {
        return paces_.get(context, std::move(own));
    }
    shared_by_place<pace> paces_;
};

}  // namespace mqb::core
