// lent_publisher: a publisher of core behind the C table, for the inner side of a middleware plugin and for nested endpoints.
#pragma once

#include "core/publisher.hpp"
#include "host/loading/lent.hpp"

#include <mqb/publisher.h>

#include <deque>

namespace mqb::loading {

class lent_publisher final : public lent {
public:
    // The inner publisher outlives this.
    lent_publisher(gate& borrower, core::publisher& inner) : lent(borrower), face_{{&table_}, this}, inner_(inner) {}
    [[nodiscard]] void* handle() noexcept override { return &face_.base; }
    [[nodiscard]] std::uint32_t kind() const noexcept override { return MQB_SIDE_PUBLISHER; }

private:
    struct face {
        mqb_publisher base;
        lent_publisher* self;
    };
    struct send_op final : lent_op, core::send_call {
        explicit send_op(core::publisher& p) : inner(p) {}
        core::publisher& inner;
        core::status begin() noexcept override { return inner.send(*this); }
        void stop() noexcept override { inner.cancel(*this); }
        const core::explanations& texts() const noexcept override { return core::call::texts; }
        std::uint32_t entries() const noexcept override { return messages.count; }
    };
    static lent_publisher& of(mqb_publisher* p) noexcept { return *reinterpret_cast<face*>(p)->self; }
    mqb_status send(mqb_send* s);
    static void on_answer(core::send_call& c, std::uint32_t index, const core::message& response);
    static const mqb_publisher_table table_;

    face face_;
    core::publisher& inner_;
    std::deque<send_op> sends_;
};

}  // namespace mqb::loading
