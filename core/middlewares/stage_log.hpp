// stage_log: what a stage of one chain says in the log.
#pragma once

#include "core/logger.hpp"
#include "core/middlewares/message_stage.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace mqb::core {

class stage_log {
public:
    // name: of the middleware, as in a route file. path: of its endpoint.
    stage_log(logger& log, std::string name, std::string route, std::string path)
        : log_(&log), name_(std::move(name)), route_(std::move(route)), path_(std::move(path)) {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    void warn(std::string_view text) { log_->write(log_level::warning, route_, path_, name_ + ": " + std::string{text}); }
    void tell_warning(const staged_messages& messages) {
        if (!messages.first_warning().empty()) log_->write(log_level::warning, route_, path_, messages.first_warning());
    }
    // The first time; from then on they are only counted.
    void tell_of_discarded(const staged_messages& messages) {
        const auto* first = has_told_ ? nullptr : messages.first_discarded();
        if (!first) return;
        has_told_ = true;
        log_->write(log_level::warning, route_, path_, first->why + "; the message is discarded, and others will only be counted");
    }

private:
    logger* log_;
    std::string name_, route_, path_;
    bool has_told_ = false;
};

}  // namespace mqb::core
