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

// Sends until it comes to a message "!", which it leaves undone, once.
class ordered_writer : public writer {
public:
    ordered_writer(const sdk::context& made, const sdk::no_config& none) : writer(made, none) { keep_order_of_retries(); }
    static sdk::promises promise(const sdk::no_config&) { return sdk::promises().ordered().ordered_retry(); }
    sdk::status send(sdk::send_call& call) {
        std::unique_lock lock(fake->mutex);
        ++fake->inside;
        fake->changed.notify_all();
        fake->changed.wait(lock, [&] { return fake->is_open; });
        --fake->inside;
        for (const auto message : call) {
            if (message.text() == "!" && !std::exchange(has_failed_, true)) return call.again(message.index(), "full"), sdk::status::retry;
            fake->sent += message.text(), call.done(message.index());
        }
        return sdk::status::done;
    }

private:
    bool has_failed_ = false;
};

template <class Writer = writer>
struct rig {
    gate own;
    std::unique_ptr<testing::publisher> publisher;
    rig() {
        fake = &own;
        publisher = std::make_unique<testing::publisher>(sdk_test::endpoint<sdk::none, Writer>(), "{}");
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
    rig<> r;
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
    rig<> r;
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

TEST_CASE("sends that wait behind one that left something undone come back unsent, and later ones are sent") {
    rig<ordered_writer> r;
    r.hold();
    auto fails = r->start_send({testing::message_of("a"), testing::message_of("!"), testing::message_of("c")});
    r.wait_until_inside();
    auto behind = r->start_send({testing::message_of("d"), testing::message_of("e")}), last = r->start_send({testing::message_of("f")});
    auto cancelled = r->start_send({testing::message_of("g")});
    r->cancel(cancelled->id());
    r.open();
    CHECK(fails->wait() == sdk::status::retry);
    CHECK(fails->outcomes[0].result == MQB_DONE);
    CHECK(fails->outcomes[1].result == MQB_AGAIN);
    CHECK(fails->outcomes[2].result == MQB_UNSENT);
    for (auto* one : {behind.get(), last.get()}) {
        CHECK(one->wait() == sdk::status::retry);
        CHECK(one->text() == "behind messages that were not sent");
        for (const mqb_outcome& outcome : one->outcomes) CHECK(outcome.result == MQB_UNSENT);
    }
    CHECK(cancelled->wait() == sdk::status::cancelled);
    CHECK(r.own.sent == "a");
    // One that is started while the end of a failed one is being told may still count as behind it.
    const auto send_again = [&](const char* what) {
        auto call = r->send({testing::message_of(what)});
        while (call->text() == "behind messages that were not sent") call = r->send({testing::message_of(what)});
        return call->wait();
    };
    for (const char* again : {"!", "c", "d"}) CHECK(send_again(again) == sdk::status::done);
    CHECK(r.own.sent == "a!cd");
}
