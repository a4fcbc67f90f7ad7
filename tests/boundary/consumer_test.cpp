// The adapter of a consumer: starts, answers, cancels, and what an answer may be.
#include "fakes.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

struct fixture {
    route_side side;
    fake_consumer fake;
    loading::plugin_consumer consumer{make_instance(side), &fake.base, fake_consumer::table};
    fixture() { consumer.listen(&side.events); }
    ~fixture() { CHECK(close(side, consumer) == status::ok); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a receive that answers DONE gives the plugin's own array on, and completes nothing") {
    some_messages given{{"a", "b", "c"}};
    int batch = 0;
    fake.receive = [&](mqb_receive* r) {
        CHECK(r->call.struct_size == sizeof(mqb_receive));
        CHECK(r->call.operation != 0);
        CHECK(r->max_messages == 7);
        CHECK(r->max_bytes == 99);
        CHECK(r->drain == 1);
        r->messages = given.list();
        r->batch = &batch;
        return MQB_OK;
    };
    recorded<core::receive_call> c;
    c.max_messages = 7;
    c.max_bytes = 99;
    c.drain = true;
    CHECK(consumer.receive(c) == status::ok);
    CHECK(c.messages.first == given.messages.data());
    CHECK(c.messages.count == 3);
    CHECK(c.messages[2].payload.text() == "c");
    CHECK(c.batch == &batch);
    CHECK(c.completions == 0);
    CHECK_FALSE(side.box.deliver_all());
}

TEST_CASE_FIXTURE(fixture, "a receive that answers PENDING completes once, on the route's side, with what the plugin wrote") {
    some_messages given{{"x"}};
    mqb_receive* pending = nullptr;
    fake.receive = [&](mqb_receive* r) { return pending = r, MQB_PENDING; };
    recorded<core::receive_call> c;
    CHECK(consumer.receive(c) == status::pending);
    std::thread other([&] {
        pending->messages = given.list();
        pending->batch = &given;
        pending->call.done(&pending->call, MQB_OK);
    });
    other.join();
    CHECK(c.completions == 0);
    CHECK(side.box.deliver_all());
    CHECK(c.completions == 1);
    CHECK(c.ended == status::ok);
    CHECK(c.messages.count == 1);
    CHECK(c.batch == &given);
}

TEST_CASE_FIXTURE(fixture, "every class of answer comes through unchanged, from the start and from a completion") {
    for (const mqb_status s : {MQB_RETRY, MQB_REJECTED, MQB_BAD_CONFIG, MQB_DISCONNECTED, MQB_END, MQB_CANCELLED, MQB_UNSUPPORTED}) {
        fake.receive = [s](mqb_receive* r) {
            r->call.explain(&r->call, MQB_WHOLE_CALL, text("why"));
            return s;
        };
        recorded<core::receive_call> now;
        CHECK(consumer.receive(now) == static_cast<status>(s));
        CHECK(now.texts.best(core::whole_call) == "why");
        CHECK(now.completions == 0);

        mqb_receive* pending = nullptr;
        fake.receive = [&](mqb_receive* r) { return pending = r, MQB_PENDING; };
        recorded<core::receive_call> later;
        CHECK(consumer.receive(later) == status::pending);
        pending->call.explain(&pending->call, MQB_WHOLE_CALL, text("later"));
        pending->call.done(&pending->call, s);
        side.box.deliver_all();
        CHECK(later.ended == static_cast<status>(s));
        CHECK(later.texts.best(core::whole_call) == "later");
    }
    CHECK(side.events.all.empty());
}

TEST_CASE_FIXTURE(fixture, "an unknown status counts as disconnected and is named") {
    fake.receive = [](mqb_receive*) { return 99; };
    recorded<core::receive_call> c;
    CHECK(consumer.receive(c) == status::disconnected);
    CHECK(c.texts.best(core::whole_call) == "fake.receive answered the unknown status 99");
    CHECK(side.events.all.empty());
}

TEST_CASE_FIXTURE(fixture, "a cancel names the operation of the pending call, and nothing when none is pending") {
    std::vector<std::uint64_t> cancelled;
    mqb_receive* pending = nullptr;
    fake.receive = [&](mqb_receive* r) { return pending = r, MQB_PENDING; };
    fake.cancel = [&](std::uint64_t operation) { cancelled.push_back(operation); };
    recorded<core::receive_call> c;
    consumer.cancel(c);
    CHECK(cancelled.empty());
    CHECK(consumer.receive(c) == status::pending);
    const std::uint64_t operation = pending->call.operation;
    consumer.cancel(c);
    consumer.cancel(c);
    CHECK(cancelled == std::vector{operation, operation});
    pending->call.done(&pending->call, MQB_CANCELLED);
    consumer.cancel(c);  // completed, not yet delivered
    side.box.deliver_all();
    consumer.cancel(c);
    CHECK(cancelled.size() == 2);
    CHECK(c.ended == status::cancelled);
    CHECK(c.completions == 1);
}

TEST_CASE_FIXTURE(fixture, "an answer that breaks a rule is misbehaviour, and its batch is freed") {
    some_messages two{{"a", "b"}};
    std::vector<void*> freed;
    fake.free_batch = [&](void* batch) { freed.push_back(batch); };
    int batch = 0;
    auto receive = [&](mqb_list messages, void* b, mqb_status s, std::uint32_t most) {
        fake.receive = [=](mqb_receive* r) {
            r->messages = messages;
            r->batch = b;
            return s;
        };
        recorded<core::receive_call> c;
        c.max_messages = most;
        const status answer = consumer.receive(c);
        CHECK(c.messages.count == 0);
        CHECK(c.batch == nullptr);
        side.box.deliver_all();
        return answer;
    };
    mqb_list odd = two.list();
    odd.stride = 81;
    mqb_list narrow = two.list();
    narrow.size = 40;
    mqb_list lost = two.list();
    lost.first = nullptr;
    CHECK(receive(two.list(), &batch, MQB_OK, 1) == status::disconnected);
    CHECK(receive(two.list(), &batch, MQB_END, 2) == status::disconnected);
    CHECK(receive(two.list(), nullptr, MQB_OK, 2) == status::disconnected);
    CHECK(receive({}, &batch, MQB_OK, 2) == status::disconnected);
    CHECK(receive(odd, &batch, MQB_OK, 2) == status::disconnected);
    CHECK(receive(narrow, &batch, MQB_OK, 2) == status::disconnected);
    CHECK(receive(lost, &batch, MQB_OK, 2) == status::disconnected);
    CHECK(receive({}, nullptr, MQB_OK, 2) == status::ok);  // nothing now
    CHECK(side.events.all == std::vector<std::string>{
                                 "misbehaviour fake.receive gave more messages than it was asked for",
                                 "misbehaviour fake.receive gave messages with an answer that is not OK",
                                 "misbehaviour fake.receive gave messages without a batch",
                                 "misbehaviour fake.receive gave a batch without messages",
                                 "misbehaviour fake.receive gave a list that cannot be one of messages",
                                 "misbehaviour fake.receive gave a list that cannot be one of messages",
                                 "misbehaviour fake.receive gave a list that cannot be one of messages",
                             });
    CHECK(freed == std::vector<void*>(6, &batch));
}

TEST_CASE_FIXTURE(fixture, "a settle passes entries and outcomes without copying, and several may be pending") {
    core::settle_entry entries[2]{{.index = 1, .what = core::disposition::ack, .delay_ns = 0, .reply = nullptr, .reason = {}},
                                  {.index = 0, .what = core::disposition::nack, .delay_ns = 5, .reply = nullptr, .reason = {"no", 2}}};
    core::outcome outcomes[2][2]{};
    std::vector<mqb_settle*> pending;
    fake.settle = [&](mqb_settle* s) {
        CHECK(s->entries.first == entries);
        CHECK(mqb_entry_at(&s->entries, 1)->delay_ns == 5);
        CHECK(str(mqb_entry_at(&s->entries, 1)->reason) == "no");
        pending.push_back(s);
        return MQB_PENDING;
    };
    recorded<core::settle_call> calls[2];
    for (int i = 0; i < 2; ++i) {
        calls[i].entries = std::span<const core::settle_entry>{entries};
        calls[i].outcomes = std::span<core::outcome>{outcomes[i]};
        CHECK(consumer.settle(calls[i]) == status::pending);
    }
    CHECK(pending[0]->call.operation != pending[1]->call.operation);
    for (const int i : {1, 0}) {
        mqb_outcome_at(&pending[static_cast<std::size_t>(i)]->outcomes, 1)->result = MQB_SETTLE_GONE;
        pending[static_cast<std::size_t>(i)]->call.done(&pending[static_cast<std::size_t>(i)]->call, MQB_OK);
    }
    side.box.deliver_all();
    CHECK(calls[0].completions == 1);
    CHECK(calls[1].completions == 1);
    CHECK(outcomes[0][0].settled() == core::settle_result::retry);
    CHECK(outcomes[1][1].settled() == core::settle_result::gone);
}

TEST_CASE_FIXTURE(fixture, "an outcome that no settle has becomes a retry") {
    core::settle_entry entry;
    core::outcome outcome;
    fake.settle = [](mqb_settle* s) {
        mqb_outcome_at(&s->outcomes, 0)->result = 77;
        return MQB_OK;
    };
    recorded<core::settle_call> c;
    c.entries = std::span<const core::settle_entry>{&entry, 1};
    c.outcomes = std::span<core::outcome>{&outcome, 1};
    CHECK(consumer.settle(c) == status::ok);
    CHECK(outcome.settled() == core::settle_result::retry);
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.settle gave an entry a result that does not exist"});
}

TEST_CASE("missing optional functions: connect is done, settle is accepted, control is unsupported, lanes_done does nothing") {
    route_side side;
    fake_consumer fake;
    mqb_consumer_table table = fake_consumer::table;
    table.connect = nullptr;
    table.settle = nullptr;
    table.control = nullptr;
    table.lanes_done = nullptr;
    table.lanes_ending = nullptr;
    loading::plugin_consumer consumer{make_instance(side), &fake.base, table};
    recorded<core::call> connect;
    CHECK(consumer.connect(connect) == status::ok);
    core::settle_entry entry;
    core::outcome outcome;
    recorded<core::settle_call> settle;
    settle.entries = std::span<const core::settle_entry>{&entry, 1};
    settle.outcomes = std::span<core::outcome>{&outcome, 1};
    CHECK(consumer.settle(settle) == status::ok);
    CHECK(outcome.settled() == core::settle_result::ok);
    recorded<core::control_call> control;
    CHECK(consumer.control(control) == status::unsupported);
    consumer.lanes_done(1);
    consumer.lanes_ending({}, 0);
    CHECK(close(side, consumer) == status::ok);
}

TEST_CASE_FIXTURE(fixture, "after DISCONNECTED the same handle connects again") {
    int connects = 0;
    mqb_call* pending = nullptr;
    fake.connect = [&](mqb_call* c) { return ++connects == 1 ? MQB_OK : (pending = c, MQB_PENDING); };
    fake.receive = [](mqb_receive*) { return MQB_DISCONNECTED; };
    recorded<core::call> c;
    CHECK(consumer.connect(c) == status::ok);
    recorded<core::receive_call> r;
    CHECK(consumer.receive(r) == status::disconnected);
    CHECK(consumer.connect(c) == status::pending);
    pending->done(pending, MQB_OK);
    side.box.deliver_all();
    CHECK(c.ended == status::ok);
    CHECK(connects == 2);
    some_messages given{{"again"}};
    fake.receive = [&](mqb_receive* again) {
        again->messages = given.list();
        again->batch = &given;
        return MQB_OK;
    };
    CHECK(consumer.receive(r) == status::ok);
    CHECK(r.messages[0].payload.text() == "again");
}

TEST_CASE_FIXTURE(fixture, "a control may be pending; its JSON comes with the answer, once") {
    mqb_control* pending = nullptr;
    fake.control = [&](mqb_control* c) {
        CHECK(str(c->id) == "lag");
        CHECK(str(c->request) == "{}");
        return pending = c, MQB_PENDING;
    };
    recorded<core::control_call> c;
    c.id = "lag";
    c.request = "{}";
    CHECK(consumer.control(c) == status::pending);
    std::thread other([&] {
        std::string json = R"({"lag":3})";
        pending->answer(pending, {json.data(), json.size()});
        pending->answer(pending, text("{}"));
        json.assign(json.size(), '#');
        pending->call.done(&pending->call, MQB_OK);
    });
    other.join();
    side.box.deliver_all();
    CHECK(c.answer == R"({"lag":3})");
    CHECK(c.completions == 1);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.control answered twice"});
}

TEST_CASE_FIXTURE(fixture, "lanes_done and free_batch reach the plugin") {
    std::vector<std::string> seen;
    fake.lanes_done = [&](std::uint64_t token) { seen.push_back("lanes_done " + std::to_string(token)); };
    fake.lanes_ending = [&](const std::uint64_t*, std::uint32_t, std::uint64_t) { seen.push_back("lanes_ending"); };
    fake.free_batch = [&](void* batch) { seen.push_back(batch == &seen ? "free_batch" : "wrong"); };
    consumer.lanes_done(42);
    consumer.lanes_ending({}, 1);  // only middlewares are told
    consumer.free_batch(&seen);
    CHECK(seen == std::vector<std::string>{"lanes_done 42", "free_batch"});
}

TEST_CASE_FIXTURE(fixture, "a message with a broken buffer is misbehaviour, and the receive is rejected") {
    mqb_owner no_release{sizeof(mqb_owner), 0, 1, [](mqb_owner*) {}, nullptr};
    const auto try_with = [&](auto change) {
        some_messages two{{"a", "b"}};
        change(two.messages[1]);
        fake.receive = [&](mqb_receive* r) {
            r->messages = two.list();
            r->batch = &two;
            return MQB_OK;
        };
        recorded<core::receive_call> c;
        c.max_messages = 2;
        CHECK(consumer.receive(c) == status::rejected);
        CHECK(c.batch == nullptr);
    };
    int freed = 0;
    fake.free_batch = [&](void*) { ++freed; };
    try_with([](mqb_message& m) { m.payload = {nullptr, 3, nullptr}; });
    try_with([](mqb_message& m) { m.payload.size = SIZE_MAX; });
    try_with([](mqb_message& m) { m.metadata = {m.payload.data, MQB_META_MAX_SIZE + 1, nullptr}; });
    try_with([&](mqb_message& m) { m.payload.owner = &no_release; });
    side.box.deliver_all();
    CHECK(freed == 4);
    CHECK(side.events.all == std::vector<std::string>{
                                 "misbehaviour fake.receive gave a message whose payload has a size and no data",
                                 "misbehaviour fake.receive gave a message whose payload has an impossible size",
                                 "misbehaviour fake.receive gave a message whose metadata is too large",
                                 "misbehaviour fake.receive gave a message whose payload has an owner without retain or release",
                             });
}
