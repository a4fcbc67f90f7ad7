// nesting: an endpoint that gives what it gets from the endpoint that its configuration nests, or sends it there.
#include <mqb/sdk.hpp>

#include <memory>
#include <vector>

namespace {

namespace sdk = mqb::sdk;

struct config {
    sdk::child_field from;
    sdk::child_field to;
    sdk::child_field counts;
    static constexpr auto options() {
        return sdk::options(sdk::option("from", &config::from).child_consumer().consumer_only().doc("Where from."),
                            sdk::option("to", &config::to).child_publisher().publisher_only().doc("Where to."),
                            sdk::option("counts", &config::counts).child_store().doc("A store, which no host lends yet."));
    }
};

// Ends the call of the host with what the nested one has answered.
template <class Call, class Raw>
struct passing {
    sdk::outgoing<Raw> down;
    sdk::operation<Call> held;
    template <class Start>
    sdk::status pass(Call& call, Start start) {
        const sdk::status answer = down.run(start, &passing::ended, *this);
        if (answer == sdk::status::pending) held = call.later();
        return answer;
    }
    static void ended(passing& self, sdk::status answer) { self.held.complete(answer, self.down.text()); }
};

struct relay : sdk::publisher {
    relay(const sdk::context& made, const config& c) : publisher(made), to(made.publisher_child(c.to.path)) {
        if (!to) throw sdk::bad_config("was lent no endpoint at \"", c.to.path, '"');
    }
    static sdk::promises promise(const config&) { return sdk::promises().ordered(); }

    sdk::status send(sdk::send_call& call) {
        sending.down.raw().messages = call.raw().messages;
        sending.down.raw().outcomes = call.raw().outcomes;
        return sending.pass(call, [this](mqb_send* s) { return to->table->send(to, s); });
    }
    void cancel(std::uint64_t operation) {
        if (sending.held && sending.held.id() == operation) to->table->cancel(to, sending.down.id());
    }

private:
    mqb_publisher* to;
    passing<sdk::send_call, mqb_send> sending;
};

// What it nests settles lane by lane in order of receipt, so this does.
struct tap : sdk::consumer {
    tap(const sdk::context& made, const config& c) : consumer(made), from(made.consumer_child(c.from.path)) {
        if (!from) throw sdk::bad_config("was lent no endpoint at \"", c.from.path, '"');
        keeps_book = false;  // the batches are those of the nested one
    }
    static sdk::promises promise(const config&) { return sdk::promises().acknowledges(sdk::settles::prefix).finite(); }

    sdk::status receive(sdk::receive_call& call) {
        mqb_receive& down = receiving.down.raw();
        down.max_messages = call.max_messages();
        down.max_bytes = call.max_bytes();
        down.drain = call.drains();
        down.messages = {};
        down.batch = nullptr;
        up = &call.raw();
        const sdk::status answer =
            receiving.down.run([this](mqb_receive* r) { return from->table->receive(from, r); }, &tap::received, *this);
        if (answer == sdk::status::pending) receiving.held = call.later();
        if (answer == sdk::status::done) give();
        return answer;
    }
    sdk::status settle(sdk::settle_call& call) {
        auto& one = spare();
        one.down.raw().batch = call.batch();
        one.down.raw().entries = call.raw().entries;
        one.down.raw().outcomes = call.raw().outcomes;
        return one.pass(call, [this](mqb_settle* s) { return from->table->settle(from, s); });
    }
    void free_batch(void* batch) { from->table->free_batch(from, batch); }
    void cancel(std::uint64_t operation) {
        if (receiving.held && receiving.held.id() == operation) from->table->cancel(from, receiving.down.id());
        for (auto& one : settling)
            if (one->held && one->held.id() == operation) from->table->cancel(from, one->down.id());
    }

private:
    using settle_pass = passing<sdk::settle_call, mqb_settle>;
    static void received(tap& self, sdk::status answer) {
        if (answer == sdk::status::done) self.give();
        self.receiving.held.complete(answer, self.receiving.down.text());
    }
    void give() {
        up->messages = receiving.down.raw().messages;
        up->batch = receiving.down.raw().batch;
    }
    settle_pass& spare() {
        for (auto& one : settling)
            if (!one->down.is_running()) return *one;
        return *settling.emplace_back(std::make_unique<settle_pass>());
    }

    mqb_consumer* from;
    mqb_receive* up = nullptr;
    passing<sdk::receive_call, mqb_receive> receiving;
    std::vector<std::unique_ptr<settle_pass>> settling;
};

}  // namespace

MQB_PLUGIN("nesting", "0.1", "MIT", sdk::offer_endpoint<"nesting", config, tap, relay>);
