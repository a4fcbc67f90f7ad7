// stage_factory: what the factories of stages have in common.
#pragma once

#include "core/middlewares/message_stage.hpp"
#include "core/registry.hpp"

#include <memory>
#include <string>

namespace mqb::core {

// For inputs and outputs.
class stage_factory : public middleware_factory {
public:
    // name: as in a route file.
    explicit stage_factory(std::string name);
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    [[nodiscard]] bool needs_ledger() const noexcept final { return true; }
    [[nodiscard]] result<promises> promise(std::string_view config, side which, promises inner) const override;
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config, consumer& inner) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                    publisher& inner) override;
    // config: JSON that is valid against the schema. The failure is one of the configuration.
    [[nodiscard]] virtual result<std::unique_ptr<message_stage>> make(std::string_view config, side which) const = 0;

private:
    const std::string name_;
};

}  // namespace mqb::core
