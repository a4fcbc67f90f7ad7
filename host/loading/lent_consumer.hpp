// lent_consumer: a consumer of core behind the C table, for the inner side of a middleware plugin and for nested endpoints.
#pragma once

#include "core/consumer.hpp"
#include "host/loading/lent.hpp"

#include <mqb/consumer.h>

#include <deque>

namespace mqb::loading {

class lent_consumer final : public lent {
public:
    // The inner consumer outlives this.
    lent_consumer(gate& borrower, core::consumer& inner) : lent(borrower), face_{{&table_}, this}, inner_(inner) {}
    [[nodiscard]] void* handle() noexcept override { return &face_.base; }
    [[nodiscard]] std::uint32_t kind() const noexcept override { return MQB_SIDE_CONSUMER; }

private:
    struct face {
        mqb_consumer base;
        lent_consumer* self;
    };
    struct receive_op final : lent_op, core::receive_call {
        explicit receive_op(core::consumer& c) : inner(c) {}
        core::consumer& inner;
        core::status begin() noexcept override { return inner.receive(*this); }
        void stop() noexcept override { inner.cancel(*this); }
        void answer(core::status s) noexcept override;
        const core::explanations& texts() const noexcept override { return core::call::texts; }
    };
    struct settle_op final : lent_op, core::settle_call {
        explicit settle_op(core::consumer& c) : inner(c) {}
        core::consumer& inner;
        core::status begin() noexcept override { return inner.settle(*this); }
        void stop() noexcept override { inner.cancel(*this); }
        const core::explanations& texts() const noexcept override { return core::call::texts; }
        std::uint32_t entries() const noexcept override { return core::settle_call::entries.count; }
    };
    static lent_consumer& of(mqb_consumer* c) noexcept { return *reinterpret_cast<face*>(c)->self; }
    mqb_status receive(mqb_receive* r);
    mqb_status settle(mqb_settle* s);
    void free_batch(void* batch);
    static const mqb_consumer_table table_;

    face face_;
    core::consumer& inner_;
    std::deque<receive_op> receives_;
    std::deque<settle_op> settles_;
};

}  // namespace mqb::loading
