#include "core/route.hpp"

#include "core/running_route.hpp"

namespace mqb::core {

route::route(route_definition definition, const route_environment& in)
    : running_(std::make_shared<running_route>(std::move(definition), in)) {}

route::~route() = default;

void route::start(std::function<void()> on_ended) { running_->start(std::move(on_ended)); }
void route::stop() { running_->stop(); }
void route::pause() { running_->pause(); }
void route::resume() { running_->resume(); }
void route::abandon(std::string cause) { running_->abandon(std::move(cause)); }
void route::set_blocked(std::string cause) { running_->set_blocked(std::move(cause)); }
void route::ask_lag(std::function<void()> told) { running_->ask_lag(std::move(told)); }
route_snapshot route::snapshot() const { return running_->snapshot(); }
const route_definition& route::definition() const noexcept { return running_->definition(); }

}  // namespace mqb::core
