#include "core/route.hpp"

#include "core/running_route.hpp"

namespace mqb::core {

route::route(route_definition definition, const CustomEndpointFactory& endpoints, const CustomMiddlewareFactory& middlewares, logger& log,
             boost::asio::any_io_executor executor)
    : running_(std::make_shared<running_route>(std::move(definition), endpoints, middlewares, log, std::move(executor))) {}

route::~route() = default;

void route::start(std::function<void()> on_ended) { running_->start(std::move(on_ended)); }
void route::stop() { running_->stop(); }
void route::abandon(std::string cause) { running_->abandon(std::move(cause)); }
void route::set_blocked(std::string cause) { running_->set_blocked(std::move(cause)); }
route_snapshot route::snapshot() const { return running_->snapshot(); }
const route_definition& route::definition() const noexcept { return running_->definition(); }

}  // namespace mqb::core
