// The adapter of a publisher and of a handler: outcomes, texts, responses.
#include "fakes.hpp"
#include "host/loading/plugin_publisher.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::send_result;
using core::status;

namespace {

struct sending : recorded<core::send_call> {
    explicit sending(std::vector<std::string> payloads) : given(std::move(payloads)), results(given.messages.size()) {
        messages = loading::to_core<const core::message>(given.list());
        outcomes = std::span<core::outcome>{results};
        answer = [](core::send_call& c, std::uint32_t index, const core::message& response) {
            static_cast<sending&>(c).responses.push_back(std::to_string(index) + " " + std::string{response.payload.text()});
        };
    }
    some_messages given;
    std::vector<core::outcome> results;
    std::vector<std::string> responses;
};

struct fixture {
    explicit fixture(bool is_handler = false) : publisher(make_instance(side), &fake.base, fake_publisher::table, nullptr, is_handler) {
        publisher.listen(&side.events);
    }
    ~fixture() { CHECK(close(side, publisher) == status::ok); }
    route_side side;
    fake_publisher fake;
    loading::plugin_publisher publisher;
};

struct handler_fixture : fixture {
    handler_fixture() : fixture(true) {}
};

mqb_message response_of(const char* t) {
    mqb_message m{};
    m.payload = {reinterpret_cast<const std::uint8_t*>(t), std::char_traits<char>::length(t), nullptr};
    return m;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "a send that answers DONE has one outcome and one text for each message") {
    fake.send = [](mqb_send* s) {
        CHECK(payload(mqb_message_at(&s->messages, 2)) == "c");
        const std::int32_t results[]{MQB_DONE, MQB_AGAIN, MQB_REFUSED, MQB_UNCERTAIN, MQB_UNSENT};
        for (std::uint32_t i = 0; i < 5; ++i) mqb_outcome_at(&s->outcomes, i)->result = results[i];
        mqb_outcome_at(&s->outcomes, 1)->number = 77;
        mqb_outcome_at(&s->outcomes, 2)->flags = MQB_EXHAUSTED;
        s->call.explain(&s->call, 2, text("too long"));
        s->call.explain(&s->call, 2, text("too large"));
        s->call.explain(&s->call, MQB_WHOLE_CALL, text("whole"));
        return MQB_OK;
    };
    sending c{{"a", "b", "c", "d", "e"}};
    CHECK(publisher.send(c) == status::ok);
    CHECK(c.results[0].sent() == send_result::done);
    CHECK(c.results[1].sent() == send_result::again);
    CHECK(c.results[1].number == 77);
    CHECK(c.results[2].sent() == send_result::refused);
    CHECK(c.results[2].flags == core::exhausted);
    CHECK(c.results[3].sent() == send_result::uncertain);
    CHECK(c.results[4].sent() == send_result::unsent);
    CHECK(c.texts.of(2) == "too large");
    CHECK(c.texts.best(1) == "whole");
    CHECK(c.completions == 0);
}

TEST_CASE_FIXTURE(fixture, "a send without messages asks to finish what is held") {
    std::uint32_t count = 9;
    fake.send = [&](mqb_send* s) {
        count = s->messages.count + s->outcomes.count;
        return MQB_OK;
    };
    sending c{{}};
    CHECK(publisher.send(c) == status::ok);
    CHECK(count == 0);
}

TEST_CASE_FIXTURE(fixture, "several sends may be pending and complete in any order") {
    std::vector<mqb_send*> pending;
    fake.send = [&](mqb_send* s) {
        pending.push_back(s);
        return MQB_PENDING;
    };
    std::vector<std::string> order;
    sending one{{"1"}}, two{{"2"}}, three{{"3"}};
    one.name = "one", two.name = "two", three.name = "three";
    for (sending* s : {&one, &two, &three}) {
        s->log = &order;
        CHECK(publisher.send(*s) == status::pending);
    }
    std::thread other([&] {
        for (const std::size_t i : {2u, 0u, 1u}) {
            mqb_outcome_at(&pending[i]->outcomes, 0)->result = MQB_DONE;
            pending[i]->call.done(&pending[i]->call, MQB_OK);
        }
    });
    other.join();
    side.box.deliver_all();
    CHECK(order == std::vector<std::string>{"three", "one", "two"});
    CHECK(two.results[0].sent() == send_result::done);
}

TEST_CASE_FIXTURE(fixture, "responses inside the start go on at once; later ones are copied and come before the answer") {
    fake.send = [](mqb_send* s) {
        const mqb_message m = response_of("now");
        s->answer(s, 1, &m);
        return MQB_OK;
    };
    sending now{{"a", "b"}};
    CHECK(publisher.send(now) == status::ok);
    CHECK(now.responses == std::vector<std::string>{"1 now"});

    mqb_send* pending = nullptr;
    fake.send = [&](mqb_send* s) {
        pending = s;
        const mqb_message m = response_of("first");
        s->answer(s, 0, &m);
        return MQB_PENDING;
    };
    sending later{{"a", "b"}};
    CHECK(publisher.send(later) == status::pending);
    std::thread other([&] {
        std::string borrowed = "second";
        mqb_message m = response_of(borrowed.c_str());
        pending->answer(pending, 1, &m);
        borrowed.assign("######");
        pending->call.done(&pending->call, MQB_OK);
    });
    other.join();
    CHECK(later.responses == std::vector<std::string>{"0 first"});
    side.box.deliver_all();
    CHECK(later.responses == std::vector<std::string>{"0 first", "1 second"});
    CHECK(later.completions == 1);
}

TEST_CASE_FIXTURE(fixture, "a counted response is retained until core has seen it") {
    struct counted : mqb_owner {
        std::atomic<int> count{1};
    } owner;
    owner.struct_size = sizeof(mqb_owner);
    owner.total_size = 4;
    owner.retain = [](mqb_owner* o) { ++static_cast<counted*>(o)->count; };
    owner.release = [](mqb_owner* o) { --static_cast<counted*>(o)->count; };
    mqb_send* pending = nullptr;
    fake.send = [&](mqb_send* s) { return pending = s, MQB_PENDING; };
    sending c{{"a"}};
    CHECK(publisher.send(c) == status::pending);
    mqb_message m = response_of("kept");
    m.payload.owner = &owner;
    pending->answer(pending, 0, &m);
    CHECK(owner.count == 2);
    pending->call.done(&pending->call, MQB_OK);
    side.box.deliver_all();
    CHECK(c.responses == std::vector<std::string>{"0 kept"});
    CHECK(owner.count == 1);
}

TEST_CASE_FIXTURE(fixture, "texts, responses and results for what does not exist are misbehaviour and nothing more") {
    fake.send = [](mqb_send* s) {
        const mqb_message m = response_of("x");
        s->answer(s, 1, &m);
        s->answer(s, 0, nullptr);
        s->call.explain(&s->call, 1, text("x"));
        mqb_outcome_at(&s->outcomes, 0)->result = MQB_GIVE_BACK;  // only a handler may
        return MQB_OK;
    };
    sending c{{"a"}};
    CHECK(publisher.send(c) == status::ok);
    CHECK(c.responses.empty());
    CHECK(c.results[0].sent() == send_result::uncertain);
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{
                                 "misbehaviour fake.send answered an entry that the call does not have",
                                 "misbehaviour fake.send answered without a message",
                                 "misbehaviour fake.send explained an entry that the call does not have",
                                 "misbehaviour fake.send gave an entry a result that does not exist",
                             });
}

TEST_CASE_FIXTURE(handler_fixture, "a handler may give a message back with a delay") {
    fake.send = [](mqb_send* s) {
        mqb_outcome_at(&s->outcomes, 0)->result = MQB_GIVE_BACK;
        mqb_outcome_at(&s->outcomes, 0)->number = 1000;
        return MQB_OK;
    };
    sending c{{"a"}};
    CHECK(publisher.send(c) == status::ok);
    CHECK(c.results[0].sent() == send_result::give_back);
    CHECK(c.results[0].number == 1000);
    side.box.deliver_all();
    CHECK(side.events.all.empty());
}

TEST_CASE_FIXTURE(fixture, "an unknown status of a send counts as retry") {
    fake.send = [](mqb_send*) { return -3; };
    sending c{{"a"}};
    CHECK(publisher.send(c) == status::retry);
    CHECK(c.texts.best(0) == "fake.send answered the unknown status -3");
}

TEST_CASE_FIXTURE(fixture, "a text is cut at 4 KiB, between characters") {
    fake.send = [](mqb_send* s) {
        std::string long_text(4095, 'a');
        for (int i = 0; i < 100; ++i) long_text += "é";
        s->call.explain(&s->call, 0, {long_text.data(), long_text.size()});
        return MQB_RETRY;
    };
    sending c{{"a"}};
    CHECK(publisher.send(c) == status::retry);
    CHECK(c.texts.of(0) == std::string(4095, 'a'));
}
