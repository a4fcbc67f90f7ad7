// event_relay: a decorator's way to pass a leaf's events on unchanged; it overrides what concerns it.
#pragma once

#include "core/consumer.hpp"

namespace mqb::core {

class event_relay : public event_sink {
public:
    void on_state(bool connected, std::string_view cause) override {
        if (above_) above_->on_state(connected, cause);
    }
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) override {
        if (above_) above_->on_lanes_ending(lanes, deadline_ns, token);
    }
    void on_lanes_ended(std::uint64_t token) override {
        if (above_) above_->on_lanes_ended(token);
    }
    void on_count(std::string_view name, std::int64_t delta) override {
        if (above_) above_->on_count(name, delta);
    }
    void on_warning(std::string_view text) override {
        if (above_) above_->on_warning(text);
    }
    void on_bad_config(std::string_view text) override {
        if (above_) above_->on_bad_config(text);
    }
    void on_misbehaviour(std::string_view text) override {
        if (above_) above_->on_misbehaviour(text);
    }

protected:
    ~event_relay() = default;
    event_sink* above_ = nullptr;
};

}  // namespace mqb::core
