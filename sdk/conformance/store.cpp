#include "store.hpp"

namespace mqb::conformance {
namespace {
std::mutex guard;
std::vector<found_value> collected;

void on_found(mqb_apply* apply, std::uint32_t index, mqb_text key, const mqb_buffer* value, std::uint64_t version, std::uint64_t expires) {
    operation* op = operation::of(apply);
    if (!op) return note(rules::struct_owner, "found was called with a struct that is not the caller's");
    if (op->finished()) return note(rules::store, "found was called after the answer");
    if (index >= op->entries) return note(rules::store, "found names entry " + std::to_string(index));
    std::lock_guard lock(guard);
    collected.push_back({index, as_string(key),
                         value && value->size ? std::string(reinterpret_cast<const char*>(value->data), value->size) : "", version,
                         expires});
}
}  // namespace

store::store(recipe r) : handle(std::move(r), "store") {
    require_slot(slots_.apply, rules::store_slots, "apply");
    require_slot(slots_.cancel, rules::store_slots, "cancel");
    require_slot(slots_.free, rules::store_slots, "free");
}

store_answer store::apply(const std::vector<store_entry>& what) {
    const auto n = static_cast<std::uint32_t>(what.size());
    operation& op = operation::make<mqb_apply>(name("apply"));
    hostile_list<mqb_store_entry> entries(n);
    hostile_list<mqb_outcome> outcomes(n);
    std::vector<guarded> lent;
    for (std::uint32_t i = 0; i < n; ++i) {
        mqb_store_entry& e = entries[i];
        const guarded key(what[i].key), value(what[i].value.empty() ? std::string_view("?") : what[i].value);
        lent.insert(lent.end(), {key, value});
        e.verb = what[i].verb;
        e.condition = what[i].condition;
        e.version = what[i].version;
        e.expiry_ns = what[i].expiry_ns;
        e.key = key.text();
        e.limit = what[i].limit;
        if (e.verb == MQB_PUT || !what[i].value.empty()) e.value = {value.data(), what[i].value.size(), nullptr};
    }
    mqb_apply& a = op.as<mqb_apply>();
    a.entries = entries.list();
    a.outcomes = outcomes.list();
    a.found = on_found;
    op.entries = n;
    entries.memory().freeze();
    collected.clear();
    fly(op).start([&] { return slots_.apply(self_, &a); }, serial());
    op.answer(q().patience);
    std::erase(flying_, &op);
    checkpoint();
    require(op.status() == MQB_OK, rules::store, "apply answered " + op.why());
    require(outcomes.tails_intact(), rules::list, "apply wrote behind the elements of outcomes");
    for (const guarded& g : lent) g.destroy();
    store_answer out;
    std::lock_guard lock(guard);
    out.found = collected;
    for (std::uint32_t i = 0; i < n; ++i) {
        require(outcomes[i].result > MQB_STORE_NOT_DONE && outcomes[i].result <= MQB_STORE_CONFLICT, rules::store,
                "apply answered OK, and entry " + std::to_string(i) + " has outcome " + std::to_string(outcomes[i].result));
        out.outcomes.push_back(outcomes[i]);
    }
    return out;
}

}  // namespace mqb::conformance
