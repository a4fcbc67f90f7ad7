// lent_store: a store behind the C table, for a plugin whose configuration holds one.
#pragma once

#include "host/loading/lent.hpp"
#include "host/loading/store.hpp"

#include <mqb/store.h>

#include <deque>

namespace mqb::loading {

class lent_store final : public lent {
public:
    // The inner store outlives this.
    lent_store(gate& borrower, store& inner) : lent(borrower), face_{{&table_}, this}, inner_(inner) {}
    [[nodiscard]] void* handle() noexcept override { return &face_.base; }
    [[nodiscard]] std::uint32_t kind() const noexcept override { return 0; }

private:
    struct face {
        mqb_store base;
        lent_store* self;
    };
    struct apply_op final : lent_op, store_call {
        explicit apply_op(store& s) : inner(s) {}
        store& inner;
        core::status begin() noexcept override { return inner.apply(*this); }
        void stop() noexcept override { inner.cancel(*this); }
        const core::explanations& texts() const noexcept override { return core::call::texts; }
        std::uint32_t entries() const noexcept override { return store_call::entries.count; }
        bool uses(const memory_span& memory) const noexcept override {
            return span_of(store_call::entries).meets(memory) || span_of(outcomes).meets(memory);
        }
    };
    static lent_store& of(mqb_store* s) noexcept { return *reinterpret_cast<face*>(s)->self; }
    mqb_status apply(mqb_apply* a);
    static void on_found(store_call& c, std::uint32_t index, std::string_view key, const core::buffer& value, std::uint64_t version,
                         std::uint64_t expires_in_ns);
    static const mqb_store_table table_;

    face face_;
    store& inner_;
    std::deque<apply_op> applies_;
};

}  // namespace mqb::loading
