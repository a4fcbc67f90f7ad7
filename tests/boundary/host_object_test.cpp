// The host as a plugin sees it: logs, events in order with completions, clock and timers, templates, tables of others.
#include "fakes.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

struct fixture {
    fixture() { consumer.listen(&side.events); }
    ~fixture() { CHECK(close(side, consumer) == status::ok); }
    route_side side;
    fake_consumer fake;
    std::shared_ptr<loading::plugin_instance> instance = make_instance(side);
    loading::plugin_consumer consumer{instance, &fake.base, fake_consumer::table};
    mqb_host* host = instance->host().handle();

    static mqb_event event(std::int32_t kind, const char* t = "", std::int64_t number = 0) {
        mqb_event e{};
        e.struct_size = sizeof e;
        e.kind = kind;
        e.text = text(t);
        e.number = number;
        return e;
    }
    void raise(const mqb_event& e) { host->table->event(host, &e); }
};

// A timer as a plugin keeps it.
struct plugin_timer : mqb_call {
    explicit plugin_timer(std::uint64_t id, std::vector<std::string>& to) : mqb_call{sizeof(mqb_call), 0, id, nullptr, nullptr}, log(to) {
        done = [](mqb_call* c, mqb_status s) {
            static_cast<plugin_timer*>(c)->log.push_back("timer " + std::to_string(c->operation) + " " + std::to_string(s));
        };
    }
    std::vector<std::string>& log;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "all slots of the host table are set") {
    const mqb_host_table& t = *host->table;
    CHECK(t.struct_size == sizeof(mqb_host_table));
    CHECK((t.log_level && t.log && t.event && t.now && t.wait_until && t.cancel && t.render && t.table_of));
}

TEST_CASE_FIXTURE(fixture, "a log line carries route and endpoint, and is cut at 4 KiB") {
    CHECK(host->table->log_level(host) == MQB_LOG_INFO);
    host->table->log(host, MQB_LOG_WARNING, text("hello"));
    host->table->log(host, 99, text("odd level"));
    const std::string long_text(5000, 'x');
    host->table->log(host, MQB_LOG_INFO, {long_text.data(), long_text.size()});
    const std::vector<std::string> lines = side.log.lines();
    CHECK(lines.size() == 3);
    CHECK(lines[0] == "3 orders input: hello");
    CHECK(lines[1] == "5 orders input: odd level");
    CHECK(lines[2] == "2 orders input: " + std::string(4096, 'x'));
}

TEST_CASE_FIXTURE(fixture, "events of every kind arrive by mail, in the order in which they were raised") {
    raise(event(MQB_STATE, "no route to host", 0));
    raise(event(MQB_STATE, "", 1));
    std::vector<std::uint64_t> lanes{7, 9};
    mqb_event ending = event(MQB_LANES_ENDING, "", 3);
    ending.lanes = lanes.data();
    ending.lane_count = 2;
    ending.deadline_ns = 55;
    raise(ending);
    lanes = {0, 0};
    raise(event(MQB_COUNT, "polls", 4));
    raise(event(MQB_WARN, "old broker"));
    raise(event(77, "of the future"));
    raise(event(MQB_LANES_ENDED, "", 3));
    CHECK(side.events.all.empty());
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"reconnecting no route to host", "connected ", "lanes ending 7 9 by 55 token 3",
                                                      "count polls 4", "warning old broker", "lanes ended 3"});
}

TEST_CASE_FIXTURE(fixture, "events and completions of one instance keep their common order") {
    mqb_receive* pending = nullptr;
    fake.receive = [&](mqb_receive* r) { return pending = r, MQB_PENDING; };
    recorded<core::receive_call> c;
    c.log = &side.events.all;
    c.name = "receive";
    CHECK(consumer.receive(c) == status::pending);
    std::thread other([&] {
        raise(event(MQB_WARN, "before"));
        pending->call.done(&pending->call, MQB_END);
        raise(event(MQB_WARN, "after"));
    });
    other.join();
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"warning before", "receive", "warning after"});
}

TEST_CASE_FIXTURE(fixture, "a malformed event is misbehaviour") {
    mqb_event stub = event(MQB_WARN, "x");
    stub.struct_size = 8;
    raise(stub);
    raise(event(MQB_LANES_ENDING, "", 1));
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake raises an event that is too short",
                                                      "misbehaviour fake raises LANES_ENDING without lanes"});
}

TEST_CASE_FIXTURE(fixture, "an event before anybody listens is told to the first who does") {
    consumer.listen(nullptr);
    raise(event(MQB_WARN, "early"));
    side.box.deliver_all();
    CHECK(side.events.all.empty());
    consumer.listen(&side.events);
    CHECK(side.events.all.empty());
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"warning early"});
}

TEST_CASE_FIXTURE(fixture, "now is the route's clock") {
    side.clock.advance_to(5'000'000'000);
    CHECK(host->table->now(host, MQB_CLOCK_STEADY) == 5'000'000'000);
    CHECK(host->table->now(host, MQB_CLOCK_WALL) == side.clock.now_wall());
}

TEST_CASE_FIXTURE(fixture, "timers come at their time and in its order, on the route's side") {
    std::vector<std::string> log;
    plugin_timer late{1, log}, soon{2, log};
    const std::uint64_t start = side.clock.now_steady();
    std::thread other([&] {
        CHECK(host->table->wait_until(host, start + 200, &late) == MQB_PENDING);
        CHECK(host->table->wait_until(host, start + 100, &soon) == MQB_PENDING);
    });
    other.join();
    side.box.deliver_all();
    CHECK(log.empty());
    side.clock.advance_to(start + 99);
    side.box.deliver_all();
    CHECK(log.empty());
    side.clock.advance_to(start + 300);
    side.box.deliver_all();
    CHECK(log == std::vector<std::string>{"timer 2 0", "timer 1 0"});
}

TEST_CASE_FIXTURE(fixture, "a cancelled timer completes with CANCELLED, once, whenever it was cancelled") {
    std::vector<std::string> log;
    plugin_timer at_once{1, log}, waiting{2, log}, due{3, log};
    const std::uint64_t start = side.clock.now_steady();
    host->table->wait_until(host, start + 100, &at_once);
    host->table->cancel(host, 1);  // before the clock has heard of it
    host->table->wait_until(host, start + 100, &waiting);
    host->table->wait_until(host, start + 50, &due);
    side.box.deliver_all();
    CHECK(log == std::vector<std::string>{"timer 1 7"});
    host->table->cancel(host, 2);
    host->table->cancel(host, 2);
    host->table->cancel(host, 99);
    side.clock.advance_to(start + 60);
    host->table->cancel(host, 3);  // it has come already
    side.box.deliver_all();
    side.clock.advance_to(start + 500);
    side.box.deliver_all();
    CHECK(log == std::vector<std::string>{"timer 1 7", "timer 3 0", "timer 2 7"});
}

TEST_CASE_FIXTURE(fixture, "a timer may be set again inside its own completion") {
    struct repeating : plugin_timer {
        repeating(std::vector<std::string>& to, mqb_host* h) : plugin_timer(1, to), host(h) {
            done = [](mqb_call* c, mqb_status s) {
                auto* self = static_cast<repeating*>(c);
                self->log.push_back(std::to_string(s));
                if (s == MQB_OK && self->log.size() < 3) self->host->table->wait_until(self->host, 0, c);
            };
        }
        mqb_host* host;
    };
    std::vector<std::string> log;
    repeating t{log, host};
    host->table->wait_until(host, 0, &t);
    for (int i = 0; i < 5; ++i) {
        while (side.box.deliver_all()) {}
        side.clock.advance_to(side.clock.now_steady() + 1);
    }
    CHECK(log == std::vector<std::string>{"0", "0", "0"});
}

TEST_CASE_FIXTURE(fixture, "without templates render is REJECTED; with them it fills the plugin's room") {
    char room[8];
    std::size_t size = sizeof room;
    const mqb_message m{};
    CHECK(host->table->render(host, 0, &m, room, &size) == MQB_REJECTED);
    instance->host().set_render([](std::uint32_t number, const core::message&, std::span<char> to, std::size_t& n) {
        const std::string filled = "topic/" + std::to_string(number);
        n = filled.size();
        if (n > to.size()) return status::retry;
        std::copy(filled.begin(), filled.end(), to.begin());
        return status::ok;
    });
    CHECK(host->table->render(host, 1, &m, room, &size) == MQB_OK);
    CHECK(std::string(room, size) == "topic/1");
    size = 3;
    CHECK(host->table->render(host, 1, &m, room, &size) == MQB_RETRY);
    CHECK(size == 7);
}

TEST_CASE_FIXTURE(fixture, "after free the host object is still there and does nothing") {
    mqb_host* gone;
    {
        route_side other;
        fake_consumer another;
        auto short_lived = make_instance(other);
        gone = short_lived->host().handle();
        loading::plugin_consumer c{short_lived, &another.base, fake_consumer::table};
        CHECK(close(other, c) == status::ok);
    }
    gone->table->log(gone, MQB_LOG_ERROR, text("late"));
    const mqb_event e = event(MQB_WARN, "late");
    gone->table->event(gone, &e);
    std::vector<std::string> log;
    plugin_timer t{1, log};
    CHECK(gone->table->wait_until(gone, 0, &t) == MQB_REJECTED);
    gone->table->cancel(gone, 1);
    CHECK(gone->table->now(gone, MQB_CLOCK_STEADY) == 0);
    CHECK(gone->table->table_of(gone, text("fake"), text("x")) == nullptr);
    CHECK(log.empty());
}

TEST_CASE_FIXTURE(fixture, "lane events are bounded: lanes of one event, and events that wait") {
    const std::vector<std::uint64_t> lanes(65537, 3);
    mqb_event ending = event(MQB_LANES_ENDING, "", 1);
    ending.lanes = lanes.data();
    ending.lane_count = 65537;
    raise(ending);
    for (int i = 0; i < 5000; ++i) raise(event(MQB_LANES_ENDED, "", i));
    side.box.deliver_all();
    CHECK(side.events.all.size() == 4098);
    CHECK(side.events.all.front() == "misbehaviour fake raises LANES_ENDING for more than 65536 lanes");
    CHECK(side.events.all.back() == "misbehaviour fake floods its route with events about lanes");
}
