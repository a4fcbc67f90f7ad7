// output_middleware: what the factories of middlewares for outputs alone have in common.
#pragma once

#include "core/registry.hpp"

#include <string>
#include <utility>

namespace mqb::core {

class output_middleware : public middleware_factory {
public:
    // name: as in a route file.
    explicit output_middleware(std::string name) : name_(std::move(name)) {}
    [[nodiscard]] std::uint32_t sides() const noexcept final { return publisher_side; }
    using middleware_factory::wrap;
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context, std::string, consumer&) final {
        co_return failure{status::bad_config, '"' + name_ + "\" cannot stand at an input: it is for outputs"};
    }

private:
    const std::string name_;
};

}  // namespace mqb::core
