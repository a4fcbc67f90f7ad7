// rig: one route over one fake source and one fake sink, and everything around it. Many rigs run at the same time on one executor.
#pragma once

#include "core/route.hpp"
#include "tests/shapes/sink.hpp"
#include "tests/shapes/source.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace mqb::shapes {

// Keeps what is written as a warning or worse.
class quiet_logger final : public core::logger {
public:
    struct line {
        core::log_level level;
        std::string route, endpoint, text;
        friend bool operator==(const line&, const line&) = default;
    };
    [[nodiscard]] core::log_level lowest() const noexcept override { return core::log_level::debug; }
    void write(core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept override {
        if (level < core::log_level::warning) return;
        std::lock_guard lock{mutex_};
        lines_.push_back({level, std::string{route}, std::string{endpoint}, std::string{text}});
    }
    // Of those whose text begins so.
    [[nodiscard]] std::vector<line> lines(std::string_view beginning) const {
        std::lock_guard lock{mutex_};
        std::vector<line> out;
        for (const line& l : lines_)
            if (l.text.starts_with(beginning)) out.push_back(l);
        return out;
    }

private:
    mutable std::mutex mutex_;
    std::vector<line> lines_;
};

class rig {
public:
    rig(source_shape source, sink_shape sink, std::uint32_t messages, std::uint64_t seed, std::uint32_t partitions = 3);

    // Changes before run.
    core::route_definition definition;
    core::CustomMiddlewareFactory middlewares;
    core::dead_letter_stores* dead_letters = nullptr;  // none: what is refused for good fails the route
    core::CustomEndpointFactory endpoints;
    failure_script source_script, sink_script;
    queue_store from;
    sink_store to;
    std::size_t stop_at = 0;  // the event at which the route is stopped; 0: not at all
    std::function<void(rig&, std::size_t)> on_event;

    void start(boost::asio::any_io_executor executor);
    void stop() { route_->stop(); }
    void wait();
    // The state when the last run had ended, and what happened in it.
    [[nodiscard]] const core::route_snapshot& end() const noexcept { return end_; }
    [[nodiscard]] const journal& log() const noexcept { return *log_; }
    [[nodiscard]] core::route& route() noexcept { return *route_; }
    // Over all runs.
    [[nodiscard]] const quiet_logger& told() const noexcept { return logger_; }
    // The endpoints of the present run; null before they are made and after they are gone.
    source* input = nullptr;
    sink* output = nullptr;
    const source_shape of_source;
    const sink_shape of_sink;
    const std::uint64_t seed;

    // Asserts what must hold after every run: rules kept, identity exact, what is not settled comes again, buffers balanced.
    void check_end(bool is_left_behind = false);
    // Runs once more in a drain without faults; asserts that nothing is missing then.
    void check_that_a_drain_completes_it(boost::asio::any_io_executor executor);
    [[nodiscard]] std::string describe() const;

private:
    friend class fake_factory;
    quiet_logger logger_;
    other_thread elsewhere_;
    std::unique_ptr<journal> log_;
    std::unique_ptr<core::route> route_;
    core::route_snapshot end_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_ended_ = false;
};

// Runs them side by side on two threads and waits for all.
void run_all(std::vector<std::unique_ptr<rig>>& rigs);
void run(rig& one);

}  // namespace mqb::shapes
