// Cases that both sides of an endpoint have: connect, control, cancel.
#include "../catalog.hpp"

namespace mqb::conformance::cases {
namespace {
// Runs the case for each side that the endpoint has.
template <class Work>
void for_each_side(stage& s, Work work) {
    if (s.has_publisher()) work(s.make_publisher());
    if (s.has_consumer()) {
        if (s.about.prepare) s.feed(1);
        work(s.make_consumer());
    }
}
}  // namespace

void connect(stage& s) {
    for_each_side(s, [&](auto& instance) {
        const auto threads = threads_now();
        const int descriptors = descriptors_now();
        instance.connect();
        instance.close();
        checkpoint();
        std::this_thread::sleep_for(s.q().quiet / 4);
        if (s.q().keeps_threads) return;
        for (int wait = 0; wait < 100 && threads_now().size() > threads.size(); ++wait) std::this_thread::sleep_for(10ms);
        require(threads_now().size() <= threads.size(), rules::free_quiet, "a thread is left after free");
        require(descriptors_now() <= descriptors, rules::free_quiet,
                std::to_string(descriptors_now() - descriptors) + " descriptors are left after free");
    });
    // And cancelled: it still ends, once.
    for_each_side(s, [&](auto& instance) {
        operation& op = instance.start_connect();
        instance.cancel(op.id());
        op.answer(s.q().patience);
        instance.close();
        checkpoint();
    });
}

void control_unknown(stage& s) {
    bool asked = false;
    for_each_side(s, [&](auto& instance) {
        if (!instance.slots().control) return;
        instance.connect();
        asked = true;
        operation& op = instance.start_control("no.such.ability.of.anybody", "{}");
        const mqb_status status = op.answer(s.q().patience);
        require(status == MQB_UNSUPPORTED, rules::control, std::string("control with an unknown id answered ") + name_of_status(status));
        require(op.answers.empty(), rules::answer, "control with an unknown id gave an answer");
        if (!s.q().control_id.empty()) {
            operation& known = instance.start_control(s.q().control_id, "{}");
            known.answer(s.q().patience);
            if (known.status() != MQB_OK) warn("control \"" + s.q().control_id + "\" answered " + known.why());
        }
        checkpoint();
    });
    if (!asked) skip("no side has control");
}

void cancel_unknown(stage& s) {
    for_each_side(s, [&](auto& instance) {
        instance.cancel(unknown_operation);  // made, not connected
        instance.connect();
        for (std::uint64_t id : {std::uint64_t(0), std::uint64_t(unknown_operation), ~std::uint64_t(0)}) instance.cancel(id);
        checkpoint();
    });
}

// What is declared and cannot be shown from outside is named, not passed over.
void unprovable_promises(stage& s) {
    std::string names;
    for_each_side(s, [&](auto& instance) {
        const auto add = [&](std::uint32_t flag, const char* name) {
            if (instance.promises_to(flag)) names += std::string(names.empty() ? "" : ", ") + name;
        };
        if (!s.about.provoke.count("refusal")) add(MQB_ORDERED_RETRY, "ORDERED_RETRY"), add(MQB_TRANSACTIONAL, "TRANSACTIONAL");
        add(MQB_TRANSACTIONAL, "positions of the source inside a transaction (the optional table for it is no draft yet)");
        if (!s.round_trips()) add(MQB_IDEMPOTENT, "IDEMPOTENT"), add(MQB_ORDERED, "ORDERED");
    });
    if (!names.empty()) skip("declared, and not proved by this kit: " + names);
}

}  // namespace mqb::conformance::cases
