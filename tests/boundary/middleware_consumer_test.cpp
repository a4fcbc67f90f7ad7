// Middleware plugins around a consumer of core: both directions, everything pending, and how they end.
#include "fakes.hpp"
#include "host/loading/lent_consumer.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

// A consumer of core whose calls the test answers.
struct inner_consumer final : core::consumer {
    std::vector<std::string> seen;
    status answer = status::pending;
    core::call* pending = nullptr;
    core::event_sink* sink = nullptr;

    status start(const char* what, core::call& c) {
        seen.push_back(what);
        if (answer == status::pending) pending = &c;
        return answer;
    }
    status connect(core::call& c) override { return start("connect", c); }
    status receive(core::receive_call& c) override { return start("receive", c); }
    status settle(core::settle_call& c) override {
        seen.push_back("settle " + std::to_string(c.entries.count));
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(core::settle_result::ok);
        return status::ok;
    }
    void free_batch(void*) override { seen.push_back("free_batch"); }
    void lanes_done(std::uint64_t) override { seen.push_back("lanes_done"); }
    status control(core::control_call& c) override { return start("control", c); }
    void cancel(core::call&) override { seen.push_back("cancel"); }
    status close(core::call& c) override { return start("close", c); }
    void listen(core::event_sink* s) override { sink = s; }

    void complete(status s) {
        core::call* c = std::exchange(pending, nullptr);
        c->done(*c, s);
    }
};

// A middleware plugin that passes receives and settles through, and may hold a timer.
struct passing_consumer : fake_consumer {
    mqb_consumer* below = nullptr;
    mqb_receive inner{};
    mqb_receive* outer = nullptr;

    explicit passing_consumer(mqb_consumer* b) : below(b) {
        receive = [this](mqb_receive* r) {
            outer = r;
            inner = {};
            inner.call = {sizeof inner, 0, r->call.operation, &inner_done, &inner_explain};
            inner.max_messages = r->max_messages;
            self_of() = this;
            const mqb_status s = below->table->receive(below, &inner);
            pass(r);
            return s;
        };
        cancel = [this](std::uint64_t operation) { below->table->cancel(below, operation); };
        settle = [this](mqb_settle* s) {
            mqb_settle down = *s;
            down.call.done = &ignore;
            return below->table->settle(below, &down);
        };
        free_batch = [this](void* batch) { below->table->free_batch(below, batch); };
    }
    void pass(mqb_receive* r) const {
        r->messages = inner.messages;
        r->batch = inner.batch;
    }
    static passing_consumer*& self_of() {
        static passing_consumer* one;
        return one;
    }
    static void ignore(mqb_call*, mqb_status) {}
    static void inner_done(mqb_call*, mqb_status s) {
        passing_consumer& self = *self_of();
        self.pass(self.outer);
        self.outer->call.done(&self.outer->call, s);
    }
    static void inner_explain(mqb_call*, std::uint32_t entry, mqb_text t) {
        self_of()->outer->call.explain(&self_of()->outer->call, entry, t);
    }
};

struct consumer_fixture {
    consumer_fixture() {
        auto lent = std::make_unique<loading::lent_consumer>(instance->door(), leaf);
        below = static_cast<mqb_consumer*>(lent->handle());
        instance->lend("", std::move(lent));
        plugin = std::make_unique<passing_consumer>(below);
        outer = std::make_unique<loading::plugin_consumer>(instance, &plugin->base, fake_consumer::table, &leaf);
        outer->listen(&side.events);
    }
    route_side side;
    inner_consumer leaf;
    std::shared_ptr<loading::plugin_instance> instance = make_instance(side);
    mqb_consumer* below = nullptr;
    std::unique_ptr<passing_consumer> plugin;
    std::unique_ptr<loading::plugin_consumer> outer;
};

}  // namespace

TEST_CASE_FIXTURE(consumer_fixture, "a receive goes through a middleware plugin and back without copying, DONE and PENDING") {
    some_messages given{{"a", "b"}};
    leaf.answer = status::end;
    recorded<core::receive_call> c;
    c.max_messages = 5;
    CHECK(outer->receive(c) == status::end);

    leaf.answer = status::pending;
    CHECK(outer->receive(c) == status::pending);
    auto& r = static_cast<core::receive_call&>(*leaf.pending);
    CHECK(r.max_messages == 5);
    r.messages = loading::to_core<const core::message>(given.list());
    r.batch = &given;
    leaf.complete(status::ok);
    CHECK(c.completions == 0);  // the plugin's completion goes through the mailbox
    side.box.deliver_all();
    CHECK(c.completions == 1);
    CHECK(c.messages.first == given.messages.data());
    CHECK(c.messages.count == 2);
    CHECK(c.batch == &given);
    CHECK(close(side, *outer) == status::ok);
    CHECK(side.events.all.empty());
}

TEST_CASE_FIXTURE(consumer_fixture, "texts of the inner side reach the middleware, and through it core") {
    recorded<core::receive_call> c;
    CHECK(outer->receive(c) == status::pending);
    leaf.pending->texts.set(core::whole_call, "no route to host");
    leaf.complete(status::disconnected);
    side.box.deliver_all();
    CHECK(c.ended == status::disconnected);
    CHECK(c.texts.best(core::whole_call) == "no route to host");
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "a cancel goes through a middleware to the leaf") {
    recorded<core::receive_call> c;
    CHECK(outer->receive(c) == status::pending);
    outer->cancel(c);
    CHECK(leaf.seen == std::vector<std::string>{"receive", "cancel"});
    leaf.complete(status::cancelled);
    side.box.deliver_all();
    CHECK(c.ended == status::cancelled);
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "a control that the leaf has is cancelled at the leaf, not at the middleware") {
    std::vector<std::uint64_t> cancelled;
    plugin->cancel = [&](std::uint64_t operation) { cancelled.push_back(operation); };
    recorded<core::control_call> c;
    CHECK(outer->control(c) == status::pending);
    outer->cancel(c);
    CHECK(leaf.seen == std::vector<std::string>{"control", "cancel"});
    CHECK(cancelled.empty());
    leaf.complete(status::cancelled);
    CHECK(c.ended == status::cancelled);
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "a settle of the inner side is accepted at once") {
    core::settle_entry entries[2];
    core::outcome outcomes[2];
    recorded<core::settle_call> c;
    c.entries = std::span<const core::settle_entry>{entries};
    c.outcomes = std::span<core::outcome>{outcomes};
    CHECK(outer->settle(c) == status::ok);
    CHECK(outcomes[1].settled() == core::settle_result::ok);
    outer->free_batch(&c);
    CHECK(leaf.seen == std::vector<std::string>{"settle 2", "free_batch"});
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "control and lanes_done go to the leaf; lanes_ending goes to the middleware; both listen") {
    std::vector<std::uint64_t> told;
    plugin->lanes_ending = [&](const std::uint64_t* lanes, std::uint32_t n, std::uint64_t deadline) {
        told.assign(lanes, lanes + n);
        told.push_back(deadline);
    };
    leaf.answer = status::ok;
    recorded<core::control_call> c;
    CHECK(outer->control(c) == status::ok);
    outer->lanes_done(3);
    const std::uint64_t lanes[]{4, 5};
    outer->lanes_ending(lanes, 99);
    CHECK(leaf.seen == std::vector<std::string>{"control", "lanes_done"});
    CHECK(told == std::vector<std::uint64_t>{4, 5, 99});
    CHECK(leaf.sink == &side.events);
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "a middleware's own thread may call the inner side: its calls run on the route's side") {
    struct foreign : mqb_receive {
        std::atomic<int> completions{0};
        mqb_status answer = MQB_PENDING;
    } call{};
    call.call = {sizeof(mqb_receive), 0, 1,
                 [](mqb_call* c, mqb_status s) {
                     auto* f = static_cast<foreign*>(reinterpret_cast<mqb_receive*>(c));
                     f->answer = s;
                     ++f->completions;
                 },
                 [](mqb_call*, std::uint32_t, mqb_text) {}};
    call.max_messages = 1;
    leaf.answer = status::end;
    std::thread other([&] {
        CHECK(below->table->receive(below, &call) == MQB_PENDING);
        below->table->free_batch(below, &call);
    });
    other.join();
    CHECK(leaf.seen.empty());
    side.box.deliver_all();
    CHECK(leaf.seen == std::vector<std::string>{"receive", "free_batch"});
    CHECK(call.completions == 1);
    CHECK(call.answer == MQB_END);

    std::thread again([&] {
        CHECK(below->table->receive(below, &call) == MQB_PENDING);
        below->table->cancel(below, 1);
    });
    again.join();
    leaf.answer = status::pending;
    side.box.deliver_all();
    CHECK(leaf.seen.back() == "cancel");
    leaf.complete(status::cancelled);
    CHECK(call.answer == MQB_CANCELLED);
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "what a middleware may not call of a lent handle is misbehaviour") {
    mqb_call c{};
    mqb_control control{};
    CHECK(below->table->connect(below, &c) == MQB_UNSUPPORTED);
    CHECK(below->table->control(below, &control) == MQB_UNSUPPORTED);
    below->table->lanes_done(below, 1);
    below->table->lanes_ending(below, nullptr, 0, 0);
    below->table->free(below);
    mqb_receive stub{};
    CHECK(below->table->receive(below, &stub) == MQB_UNSUPPORTED);
    side.box.deliver_all();
    CHECK(leaf.seen.empty());
    CHECK(side.events.all.size() == 6);
    CHECK(side.events.all[0] == "misbehaviour fake calls connect of a handle that is lent to it");
    CHECK(side.events.all[4] == "misbehaviour fake calls free of a handle that is lent to it");
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "close ends timers and inner operations and delivers their completions before free") {
    std::vector<std::string> order;
    struct timer : mqb_call {
        std::vector<std::string>* log = nullptr;
    } t{};
    t.struct_size = sizeof(mqb_call);
    t.operation = 1;
    t.log = &order;
    t.done = [](mqb_call* c, mqb_status s) { static_cast<timer*>(c)->log->push_back("timer " + std::to_string(s)); };
    mqb_host* host = instance->host().handle();
    CHECK(host->table->wait_until(host, UINT64_MAX, &t) == MQB_PENDING);
    side.box.deliver_all();

    struct own : mqb_receive {
        std::vector<std::string>* log = nullptr;
    } call{};
    call.log = &order;
    call.call = {sizeof(mqb_receive), 0, 9,
                 [](mqb_call* c, mqb_status s) {
                     static_cast<own*>(reinterpret_cast<mqb_receive*>(c))->log->push_back("receive " + std::to_string(s));
                 },
                 [](mqb_call*, std::uint32_t, mqb_text) {}};
    std::thread other([&] { CHECK(below->table->receive(below, &call) == MQB_PENDING); });
    other.join();
    side.box.deliver_all();
    CHECK(leaf.seen == std::vector<std::string>{"receive"});

    plugin->free = [&] { order.push_back("free"); };
    recorded<core::call> c;
    CHECK(outer->close(c) == status::pending);
    CHECK(leaf.seen.back() == "cancel");
    while (side.box.deliver_all()) {}
    CHECK(order == std::vector<std::string>{"timer 7"});  // the leaf has not answered yet
    CHECK(c.completions == 0);
    leaf.complete(status::cancelled);
    CHECK(side.deliver_until([&] { return c.completions == 1; }));
    CHECK(order == std::vector<std::string>{"timer 7", "receive 7", "free"});
    CHECK(side.events.all.empty());
}

TEST_CASE_FIXTURE(consumer_fixture, "a middleware that sets a new timer for each that is ended cannot hold up its end") {
    struct again : mqb_call {
        mqb_host* host = nullptr;
        int answers = 0;
        mqb_status last = MQB_PENDING;
    } t{};
    t.struct_size = sizeof(mqb_call);
    t.operation = 1;
    t.host = instance->host().handle();
    t.done = [](mqb_call* c, mqb_status) {
        auto* self = static_cast<again*>(c);
        ++self->answers;
        self->last = self->host->table->wait_until(self->host, UINT64_MAX, c);
    };
    CHECK(t.host->table->wait_until(t.host, UINT64_MAX, &t) == MQB_PENDING);
    CHECK(close(side, *outer) == status::ok);
    CHECK(t.last == MQB_CANCELLED);
    CHECK(t.answers == 65);
}

TEST_CASE_FIXTURE(consumer_fixture, "a second receive of a lent handle is refused and never reaches the inner side") {
    plugin->receive = [this](mqb_receive* r) {
        static mqb_receive one, two;
        one = two = {};
        one.call = two.call = {sizeof one, 0, 1, &passing_consumer::ignore, [](mqb_call*, std::uint32_t, mqb_text) {}};
        one.max_messages = two.max_messages = r->max_messages;
        two.call.operation = 2;
        CHECK(below->table->receive(below, &one) == MQB_PENDING);
        return below->table->receive(below, &two);
    };
    recorded<core::receive_call> c;
    CHECK(outer->receive(c) == status::rejected);
    CHECK(leaf.seen == std::vector<std::string>{"receive"});
    leaf.complete(status::cancelled);
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake has two receives in flight"});
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "an unknown disposition and a broken reply are refused before the inner side sees them") {
    mqb_entry entry{};
    mqb_outcome outcome{};
    mqb_settle s{};
    s.call = {sizeof s, 0, 1, &passing_consumer::ignore, [](mqb_call*, std::uint32_t, mqb_text) {}};
    s.entries = mqb_list_of(&entry, 1, sizeof entry);
    s.outcomes = mqb_list_of(&outcome, 1, sizeof outcome);
    entry.disposition = 40;
    CHECK(below->table->settle(below, &s) == MQB_REJECTED);
    mqb_message reply{};
    reply.payload.size = 5;
    entry.disposition = MQB_REPLY;
    entry.reply = &reply;
    CHECK(below->table->settle(below, &s) == MQB_REJECTED);
    side.box.deliver_all();
    CHECK(leaf.seen.empty());
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake settles with a disposition that does not exist",
                                                      "misbehaviour fake gave a message whose payload has a size and no data"});
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(consumer_fixture, "what crosses the beginning of free is no misbehaviour; what free itself calls is") {
    mqb_host* host = instance->host().handle();
    mqb_call timer{sizeof timer, 0, 1, [](mqb_call*, mqb_status) {}, nullptr};
    mqb_receive call{};
    call.call = {sizeof call, 0, 1, &passing_consumer::ignore, [](mqb_call*, std::uint32_t, mqb_text) {}};
    mqb_event warning{};
    warning.struct_size = sizeof warning;
    warning.kind = MQB_WARN;
    std::uint64_t before = 1;
    plugin->free = [&] {
        std::thread own([&] {
            host->table->event(host, &warning);
            CHECK(host->table->wait_until(host, 0, &timer) == MQB_CANCELLED);
            CHECK(below->table->receive(below, &call) == MQB_CANCELLED);
        });
        own.join();
        before = instance->door().misbehaviours();
        CHECK(host->table->wait_until(host, 0, &timer) == MQB_REJECTED);
    };
    CHECK(close(side, *outer) == status::ok);
    CHECK(before == 0);
    CHECK(instance->door().misbehaviours() == 1);
}
