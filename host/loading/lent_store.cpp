#include "host/loading/lent_store.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/layout.hpp"

namespace mqb::loading {

const mqb_store_table lent_store::table_{
    .struct_size = sizeof(mqb_store_table),
    .reserved = 0,
    .connect = [](mqb_store* s, mqb_call*) { return of(s).forbidden("connect"); },
    .apply = [](mqb_store* s, mqb_apply* a) { return guarded([&] { return of(s).apply(a); }); },
    .cancel = [](mqb_store* s, std::uint64_t operation) { of(s).cancel(operation); },
    .free = [](mqb_store* s) { of(s).forbidden("free"); },
};

mqb_status lent_store::apply(mqb_apply* a) {
    if (const mqb_status s = admit(&a->call, sizeof *a); s != MQB_OK) return s;
    if (!loading::is_sound<mqb_store_entry>(a->entries) || !loading::is_sound<mqb_outcome>(a->outcomes) ||
        a->entries.count != a->outcomes.count) {
        gate_.misbehaved("applies with arrays that do not fit");
        return MQB_REJECTED;
    }
    apply_op* taken = take(applies_, inner_);
    if (!taken) return MQB_CANCELLED;
    apply_op& op = *taken;
    op.done = [](core::call& c, core::status answer) noexcept { ended(static_cast<apply_op&>(c), answer); };
    op.core::call::texts.clear();
    op.store_call::entries = to_core<const store_entry>(a->entries);
    op.outcomes = to_core<core::outcome>(a->outcomes);
    op.store_call::found = a->found ? &on_found : nullptr;
    return run(op, &a->call);
}

void lent_store::on_found(store_call& c, std::uint32_t index, std::string_view key, const core::buffer& value, std::uint64_t version,
                          std::uint64_t expires_in_ns) {
    auto& op = static_cast<apply_op&>(c);
    auto* theirs = reinterpret_cast<mqb_apply*>(op.theirs);
    auto& self = static_cast<lent_store&>(*op.owner);
    self.gate_.call(entry_point::completion, [&] {
        theirs->found(theirs, index, text_of(key), reinterpret_cast<const mqb_buffer*>(&value), version, expires_in_ns);
    });
}

}  // namespace mqb::loading
