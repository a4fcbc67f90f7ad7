// journal: what happened at the fake endpoints of one route, in order, and which rules of the interface their caller broke.
#pragma once

#include "core/status.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mqb::shapes {

enum class verb : std::uint8_t { connect, receive, settle, free_batch, lanes_done, send, flush, close, cancel };

struct event {
    verb what;
    std::uint32_t count = 0;  // messages or entries
    bool is_answer = false;   // else the start of a call
    core::status answer = core::status::ok;
};

// Written on the route's side only; read by the test when the route has ended.
class journal {
public:
    void started(verb what, std::uint32_t count = 0) { add({what, count}); }
    void answered(verb what, core::status answer, std::uint32_t count = 0) { add({what, count, true, answer}); }
    void broken(std::string rule) { violations_.push_back(std::move(rule)); }
    void expect(bool kept, const char* rule) {
        if (!kept) violations_.emplace_back(rule);
    }
    // Called with the number of events so far, each time there is one more.
    void on_event(std::function<void(std::size_t)> call) { on_event_ = std::move(call); }

    [[nodiscard]] const std::vector<event>& events() const noexcept { return events_; }
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }
    [[nodiscard]] std::size_t starts_of(verb what) const noexcept {
        std::size_t n = 0;
        for (const event& e : events_) n += e.what == what && !e.is_answer;
        return n;
    }

private:
    void add(event e) {
        events_.push_back(e);
        if (on_event_) on_event_(events_.size());
    }
    std::vector<event> events_;
    std::vector<std::string> violations_;
    std::function<void(std::size_t)> on_event_;
};

}  // namespace mqb::shapes
