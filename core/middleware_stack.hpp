// middleware_stack: the output middlewares of one worker as one publisher.
#pragma once

#include "core/in_turn.hpp"
#include "core/publisher.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mqb::core {

// Connects innermost first, closes outermost first. The publisher below belongs to somebody else. Not empty.
class middleware_stack final : public publisher {
public:
    explicit middleware_stack(std::vector<std::unique_ptr<publisher>> innermost_first) : all_(std::move(innermost_first)) {}

    status connect(call& c) override {
        std::vector<publisher*> outward;
        for (auto& m : all_) outward.push_back(m.get());
        return turns_.start(c, std::move(outward), &publisher::connect, in_turn<publisher>::at_failure::stop);
    }
    status send(send_call& c) override { return all_.back()->send(c); }
    status control(control_call& c) override { return all_.back()->control(c); }
    void cancel(call& c) override {
        if (turns_.works_for(c))
            turns_.cancel();
        else
            all_.back()->cancel(c);
    }
    status close(call& c) override {
        std::vector<publisher*> inward;
        for (auto m = all_.rbegin(); m != all_.rend(); ++m) inward.push_back(m->get());
        return turns_.start(c, std::move(inward), &publisher::close, in_turn<publisher>::at_failure::go_on);
    }
    void listen(event_sink* sink) override {
        for (auto& m : all_) m->listen(sink);
    }

private:
    std::vector<std::unique_ptr<publisher>> all_;
    in_turn<publisher> turns_;
};

}  // namespace mqb::core
