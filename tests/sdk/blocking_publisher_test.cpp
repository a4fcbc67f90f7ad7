#include "fakes.hpp"

#include <doctest/doctest.h>
#include <condition_variable>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;
using namespace std::chrono_literals;

namespace {

// A client that blocks while it is held.
struct gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = true;
    int inside = 0;
    std::string sent, last;
};
gate* fake = nullptr;

class writer : public sdk::blocking_publisher {
public:
    writer(const sdk::context& made, const sdk::no_config&) : blocking_publisher(made) {}
    static sdk::promises promise(const sdk::no_config&) { return sdk::promises().ordered().concurrent(); }
    void send(sdk::send_call& call) {
        std::unique_lock lock(fake->mutex);
        ++fake->inside;
        fake->changed.notify_all();
        fake->changed.wait(lock, [&] { return fake->is_open || should_stop(); });
        --fake->inside;
        if (should_stop()) throw sdk::failure(sdk::status::cancelled, "stopped");
        for (const auto message : call) fake->sent += message.text(), call.done(message.index());
    }
    void wake() noexcept {
        std::lock_guard lock(fake->mutex);
        fake->changed.notify_all();
    }
    void disconnect() { fake->last = "disconnect"; }
};

struct rig {
    gate own;
    std::unique_ptr<testing::publisher> publisher;
    rig() {
        fake = &own;
        publisher = std::make_unique<testing::publisher>(sdk_test::endpoint<sdk::none, writer>(), "{}");
        REQUIRE(publisher->connect() == sdk::status::done);
    }
    testing::publisher* operator->() { return publisher.get(); }
    void hold() {
        std::lock_guard lock(own.mutex);
        own.is_open = false;
    }
    void open() {
        std::lock_guard lock(own.mutex);
        own.is_open = true;
        own.changed.notify_all();
    }
    void wait_until_inside() {
        std::unique_lock lock(own.mutex);
        own.changed.wait(lock, [&] { return own.inside > 0; });
    }
};

}  // namespace

TEST_CASE("sends run in order on the thread") {
    rig r;
    auto a = r->start_send({testing::message_of("a")}), b = r->start_send({testing::message_of("b")}),
         c = r->start_send({testing::message_of("c")});
    CHECK(c->wait() == sdk::status::done);
    CHECK(r.own.sent == "abc");
    CHECK(a->wait() == sdk::status::done);
    CHECK(b->outcomes[0].result == MQB_DONE);
    r.publisher.reset();
    CHECK(r.own.last == "disconnect");
}

TEST_CASE("a send that has not begun is cancelled whole, one that runs is told") {
    rig r;
    r.hold();
    auto runs = r->start_send({testing::message_of("a")}), waits = r->start_send({testing::message_of("b")});
    r.wait_until_inside();
    r->cancel(waits->id());
    r->cancel(runs->id());
    CHECK(runs->wait() == sdk::status::cancelled);
    CHECK(runs->text() == "stopped");
    CHECK(waits->wait() == sdk::status::cancelled);
    CHECK(waits->outcomes[0].result == MQB_UNSENT);
    CHECK(r.own.sent.empty());
    r.open();
    CHECK(r->send({testing::message_of("c")})->wait() == sdk::status::done);
    CHECK(r.own.sent == "c");
}
