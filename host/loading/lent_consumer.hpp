// lent_consumer: a consumer of core behind the C table, for the inner side of a middleware plugin and for nested endpoints.
#pragma once

#include "core/consumer.hpp"
#include "core/promises.hpp"
#include "host/loading/lent.hpp"

#include <mqb/consumer.h>

#include <deque>
#include <utility>
#include <vector>

namespace mqb::loading {

class lent_consumer final : public lent {
public:
    // The inner consumer outlives this. unit: in which it settles, and so how many settles it may have at a time. The ledger, below
    // every middleware of an input, takes single messages in any order.
    lent_consumer(gate& borrower, core::consumer& inner, core::settle_unit unit = core::settle_unit::message)
        : lent(borrower), face_{{&table_}, this}, inner_(inner), unit_(unit) {}
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
        bool is_below = false;  // the inner consumer has it
        core::status begin() noexcept override { return static_cast<lent_consumer&>(*owner).begin(*this); }
        void stop() noexcept override { inner.cancel(*this); }
        const core::explanations& texts() const noexcept override { return core::call::texts; }
        std::uint32_t entries() const noexcept override { return core::settle_call::entries.count; }
        bool uses(const memory_span& memory) const noexcept override {
            return span_of(core::settle_call::entries).meets(memory) || span_of(outcomes).meets(memory);
        }
    };
    static lent_consumer& of(mqb_consumer* c) noexcept { return *reinterpret_cast<face*>(c)->self; }
    mqb_status receive(mqb_receive* r);
    mqb_status settle(mqb_settle* s);
    void free_batch(void* batch);
    // The route's side.
    core::status begin(settle_op& op) noexcept;
    [[nodiscard]] bool overlaps(const core::settle_call& one, const core::settle_call& other) const noexcept;
    void forget(const void* batch) noexcept;
    static const mqb_consumer_table table_;

    face face_;
    core::consumer& inner_;
    core::settle_unit unit_;
    // With the unit prefix: the batches that it has given and that live, for their lanes. The route's side.
    std::vector<std::pair<void*, core::message_list>> batches_;
    std::deque<receive_op> receives_;
    std::deque<settle_op> settles_;
};

}  // namespace mqb::loading
