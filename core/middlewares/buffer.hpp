// buffer: the middleware that makes larger batches of small ones.
#pragma once

#include "core/registry.hpp"

namespace mqb::core {

// For outputs, and for inputs next to a source that keeps its messages in this process.
class buffer_factory final : public middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] result<promises> promise(std::string_view config, side which, promises inner) const override;
    [[nodiscard]] bool stands_next_to_source() const noexcept override { return true; }
    [[nodiscard]] bool serves_all_workers() const noexcept override { return true; }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config, consumer& inner) override;
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                    publisher& inner) override;
};

}  // namespace mqb::core
