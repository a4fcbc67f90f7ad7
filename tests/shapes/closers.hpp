// closers: middlewares and an output that pass everything on, and whose making and closing go as a plan says.
#pragma once

#include "core/registry.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mqb::shapes {

// Set up before the run; asked by the route and its workers. By the path of what is closed.
struct close_plan {
    enum class when : std::uint8_t { at_once, by_mail, never };
    struct end {
        core::status answer = core::status::ok;
        when comes = when::at_once;
    };
    std::map<std::string, end> ends;
    std::map<std::string, int> failing_makes;                  // so many tries to make it fail
    std::map<std::string, std::vector<core::status>> flushes;  // of an output: what its empty sends answer, then OK

    // Counts one close, or one try to make something.
    end closed(const std::string& path) {
        const std::lock_guard lock{mutex_};
        log_.push_back(path);
        const auto at = ends.find(path);
        return at == ends.end() ? end{} : at->second;
    }
    bool can_make(const std::string& path) {
        const std::lock_guard lock{mutex_};
        const auto at = failing_makes.find(path);
        return at == failing_makes.end() || at->second-- <= 0;
    }
    core::status flushed(const std::string& path) {
        const std::lock_guard lock{mutex_};
        const auto at = flushes.find(path);
        const std::size_t n = flushed_[path]++;
        return at == flushes.end() || n >= at->second.size() ? core::status::ok : at->second[n];
    }
    [[nodiscard]] std::size_t flushes_of(const std::string& path) const {
        const std::lock_guard lock{mutex_};
        const auto at = flushed_.find(path);
        return at == flushed_.end() ? 0 : at->second;
    }
    // What was closed, in order.
    [[nodiscard]] std::vector<std::string> log() const {
        const std::lock_guard lock{mutex_};
        return log_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> log_;
    std::map<std::string, std::size_t> flushed_;
};

// The middleware "closer", for both sides.
[[nodiscard]] std::shared_ptr<core::middleware_factory> closing_middleware(close_plan& plan);
// The output "closer", which takes everything.
[[nodiscard]] std::shared_ptr<core::endpoint_factory> closing_endpoint(close_plan& plan);

}  // namespace mqb::shapes
