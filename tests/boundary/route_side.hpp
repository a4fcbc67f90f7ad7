// route_side: what a route gives to its instances, for tests: a mailbox that is delivered by hand, a clock that is moved by hand, and
// records of what was logged and told.
#pragma once

#include "core/consumer.hpp"
#include "core/logger.hpp"
#include "core/mailbox.hpp"
#include "core/registry.hpp"
#include "core/timers.hpp"
#include "host/loading/instance.hpp"
#include "host/loading/layout.hpp"
#include "host/loading/library.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mqb::boundary {

class recording_logger final : public core::logger {
public:
    core::log_level lowest() const noexcept override { return core::log_level::info; }
    void write(core::log_level level, std::string_view route, std::string_view endpoint, std::string_view text) noexcept override {
        std::lock_guard lock{mutex_};
        lines_.push_back(std::to_string(static_cast<int>(level)) + " " + std::string{route} + " " + std::string{endpoint} + ": " +
                         std::string{text});
    }
    std::vector<std::string> lines() {
        std::lock_guard lock{mutex_};
        return lines_;
    }

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

// Everything in one list, so that order can be asserted.
class recording_sink final : public core::event_sink {
public:
    std::vector<std::string> all;

    void on_state(bool connected, std::string_view cause) override {
        all.push_back(std::string{connected ? "connected " : "reconnecting "} + std::string{cause});
    }
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) override {
        std::string text = "lanes ending";
        for (const std::uint64_t lane : lanes) text += " " + std::to_string(lane);
        all.push_back(text + " by " + std::to_string(deadline_ns) + " token " + std::to_string(token));
    }
    void on_lanes_ended(std::uint64_t token) override { all.push_back("lanes ended " + std::to_string(token)); }
    void on_count(std::string_view name, std::int64_t delta) override {
        all.push_back("count " + std::string{name} + " " + std::to_string(delta));
    }
    void on_warning(std::string_view text) override { all.push_back("warning " + std::string{text}); }
    void on_misbehaviour(std::string_view text) override { all.push_back("misbehaviour " + std::string{text}); }
};

// A call of core that records how it ended.
template <class Call>
struct recorded : Call {
    recorded() {
        this->done = [](core::call& c, core::status s) noexcept {
            auto& self = static_cast<recorded&>(c);
            ++self.completions;
            self.ended = s;
            if (self.log) self.log->push_back(self.name);
        };
    }
    int completions = 0;
    core::status ended = core::status::pending;
    std::vector<std::string>* log = nullptr;  // where `name` is put when it completes
    std::string name;
};

class route_side {
public:
    core::mailbox box;
    core::manual_timers clock{box};
    recording_logger log;
    recording_sink events;

    core::instance_context context() { return {box, clock, log, "orders", "input", "orders/input/1", "", false, 1, 512, 0}; }

    // Waits for mail from other threads, and delivers it.
    template <class Condition>
    bool deliver_until(Condition condition) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (!condition()) {
            if (std::chrono::steady_clock::now() > until) return false;
            if (!box.deliver_all()) std::this_thread::sleep_for(std::chrono::microseconds{200});
        }
        return true;
    }
};

// A library that is linked in and offers nothing: enough for an instance.
inline std::shared_ptr<const loading::library> linked_in(const char* name = "fake") {
    static mqb_plugin plugin{};
    plugin = {};
    plugin.struct_size = sizeof plugin;
    plugin.draft = MQB_ABI_DRAFT;
    plugin.name = {name, std::char_traits<char>::length(name)};
    return loading::library::adopt(&plugin, "linked in").value();
}

inline std::shared_ptr<loading::plugin_instance> make_instance(route_side& side, bool checking = false) {
    core::instance_context context = side.context();
    auto made = std::make_shared<loading::plugin_instance>(linked_in(), loading::place_of("fake", "orders", "input"), context, checking);
    made->door().enter_phase(loading::phase::running);
    return made;
}

// Closes an adapter and waits for it.
template <class Adapter>
core::status close(route_side& side, Adapter& adapter) {
    recorded<core::call> c;
    const core::status started = adapter.close(c);
    if (started != core::status::pending) return started;
    return side.deliver_until([&] { return c.completions == 1; }) ? c.ended : core::status::pending;
}

}  // namespace mqb::boundary
