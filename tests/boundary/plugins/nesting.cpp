// nesting: an endpoint that sends what it gets to the endpoint that its configuration nests, and counts in a nested store.
#include <mqb/sdk.hpp>

namespace {

namespace sdk = mqb::sdk;

struct config {
    sdk::child_field to;
    sdk::child_field counts;
    static constexpr auto options() {
        return sdk::options(sdk::option("to", &config::to).child_publisher().required().doc("Where to."),
                            sdk::option("counts", &config::counts).child_store().doc("Where it counts."));
    }
};

struct relay : sdk::publisher {
    relay(const sdk::context& made, const config& c)
        : publisher(made), to(made.publisher_child(c.to.path)), counts(made.store_child(c.counts.path)) {
        if (!to) throw sdk::bad_config("was lent no endpoint at ", c.to.path);
        if (c.counts && !counts) throw sdk::bad_config("was lent no store at ", c.counts.path);
    }
    static sdk::promises promise(const config&) { return sdk::promises().ordered(); }

    sdk::status send(sdk::send_call& call) {
        down = call.raw();
        down.call = head(sizeof down, &ended);
        const mqb_status answer = to->table->send(to, &down);
        if (answer == MQB_PENDING) held = call.later();
        if (counts) count();
        return static_cast<sdk::status>(answer);
    }
    void cancel(std::uint64_t operation) {
        if (held && held.id() == operation) to->table->cancel(to, down.call.operation);
    }

private:
    mqb_call head(std::size_t size, void (*done)(mqb_call*, mqb_status)) {
        self() = this;
        return {static_cast<std::uint32_t>(size), 0, sdk::detail::next_operation(), done, sdk::detail::explain_nothing};
    }
    static relay*& self() {
        static relay* one;
        return one;
    }
    static void ended(mqb_call*, mqb_status answer) { self()->held.complete(static_cast<sdk::status>(answer)); }
    void count() {
        mqb_store_entry put{};
        mqb_outcome outcome{};
        put.verb = MQB_PUT;
        put.key = {"sends", 5};
        mqb_apply apply{};
        apply.call = head(sizeof apply, [](mqb_call*, mqb_status) {});
        apply.entries = mqb_list_of(&put, 1, sizeof put);
        apply.outcomes = mqb_list_of(&outcome, 1, sizeof outcome);
        apply.found = [](mqb_apply*, std::uint32_t, mqb_text, const mqb_buffer*, std::uint64_t, std::uint64_t) {};
        if (counts->table->apply(counts, &apply) != MQB_OK) host().error("the store did not answer at once");
    }

    mqb_publisher* to;
    mqb_store* counts;
    mqb_send down{};
    sdk::operation<sdk::send_call> held;
};

}  // namespace

MQB_PLUGIN("nesting", "0.1", "MIT", sdk::offer_endpoint<"nesting", config, sdk::none, relay>);
