// lent_publisher: a publisher of core behind the C table, for the inner side of a middleware plugin and for nested endpoints.
#pragma once

#include "core/publisher.hpp"
#include "host/loading/lent.hpp"

#include <mqb/publisher.h>

#include <deque>

namespace mqb::loading {

class lent_publisher final : public lent {
public:
    // The inner publisher outlives this. Unless it promises that sends may overlap, it has one at a time, and others wait here in
    // their order.
    lent_publisher(gate& borrower, core::publisher& inner, bool may_overlap = false)
        : lent(borrower), face_{{&table_}, this}, inner_(inner), may_overlap_(may_overlap) {}
    [[nodiscard]] void* handle() noexcept override { return &face_.base; }
    [[nodiscard]] std::uint32_t kind() const noexcept override { return MQB_SIDE_PUBLISHER; }

private:
    struct face {
        mqb_publisher base;
        lent_publisher* self;
    };
    struct send_op final : lent_op, core::send_call {
        explicit send_op(core::publisher&) {}
        send_op* next = nullptr;
        bool is_waiting = false;
        core::status begin() noexcept override { return static_cast<lent_publisher&>(*owner).begin(*this); }
        void stop() noexcept override { static_cast<lent_publisher&>(*owner).stop(*this); }
        const core::explanations& texts() const noexcept override { return core::call::texts; }
        std::uint32_t entries() const noexcept override { return messages.count; }
        bool uses(const memory_span& memory) const noexcept override {
            return span_of(messages).meets(memory) || span_of(outcomes).meets(memory);
        }
    };
    static lent_publisher& of(mqb_publisher* p) noexcept { return *reinterpret_cast<face*>(p)->self; }
    mqb_status send(mqb_send* s);
    // The route's side.
    core::status begin(send_op& op) noexcept;
    void finished(send_op& op, core::status answer) noexcept;
    void start_next() noexcept;
    void stop(send_op& op) noexcept;
    void end_cancelled() noexcept;
    static void on_answer(core::send_call& c, std::uint32_t index, const core::message& response);
    static const mqb_publisher_table table_;

    face face_;
    core::publisher& inner_;
    bool may_overlap_;
    std::deque<send_op> sends_;
    send_op* current_ = nullptr;  // unless they may overlap: the one that the inner publisher has, and those that wait
    send_op* first_ = nullptr;
    send_op* last_ = nullptr;
};

}  // namespace mqb::loading
