#include "fakes.hpp"

#include <doctest/doctest.h>
#include <thread>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;

namespace {

enum class conduct {
    proper,
    ends_inside,
    ends_twice,
    drops,
    keeps_and_answers,
    pending_without,
    throws,
    throws_after_later,
    ends_as_pending
};
conduct now = conduct::proper;

// A consumer that misbehaves as it is told.
class rascal : public sdk::consumer {
public:
    rascal(const sdk::context& made, const sdk::no_config&) : consumer(made) {}
    static sdk::promises promise(const sdk::no_config&) { return sdk::promises().acknowledges(sdk::settles::message); }

    sdk::status receive(sdk::receive_call& call) {
        switch (now) {
            case conduct::ends_inside: {
                auto operation = call.later();
                operation.complete(sdk::status::end, "from inside");
                return sdk::status::pending;
            }
            case conduct::drops: {
                const auto operation = call.later();
                return sdk::status::pending;
            }
            case conduct::keeps_and_answers: return kept = call.later(), sdk::status::done;
            case conduct::pending_without: return sdk::status::pending;
            case conduct::throws: throw std::runtime_error("a wild exception");
            case conduct::throws_after_later: kept = call.later(); throw sdk::rejected("after later");
            case conduct::ends_twice:
            case conduct::ends_as_pending: return kept = call.later(), sdk::status::pending;
            default: break;
        }
        auto batch = batches.open();
        batch->add("a"), batch->add("b");
        return batch.give(call);
    }
    void settle(sdk::settle_call& call) { call.all_ok(), ++settles; }
    void cancel(std::uint64_t operation) {
        if (kept && kept.id() == operation) kept.complete(sdk::status::cancelled);
    }

    static inline sdk::operation<sdk::receive_call> kept;
    static inline int settles = 0;
    sdk::batch_pool<> batches;
};

struct rascals : testing::consumer {
    rascals() : consumer(sdk_test::endpoint<rascal>(), "{}") {}
    std::unique_ptr<testing::receiving> as(conduct how) {
        now = how;
        return start_receive(10);
    }
    std::size_t said(std::string_view text) { return host.count_lines(MQB_LOG_ERROR, text); }
    std::size_t blamed(std::string_view text) { return host.count_lines(MQB_LOG_HOST_MISBEHAVES, text); }
};

}  // namespace

TEST_CASE("an operation completed inside its start becomes the answer of the start") {
    rascals r;
    auto call = r.as(conduct::ends_inside);
    CHECK(call->wait() == sdk::status::end);
    CHECK(call->completions() == 0);
    CHECK(call->text() == "from inside");
    CHECK(r.said("completed inside its own start") == 1);
}

TEST_CASE("an operation that is dropped ends the call as disconnected") {
    rascals r;
    CHECK(r.as(conduct::drops)->wait() == sdk::status::disconnected);
    auto call = r.as(conduct::ends_twice);
    rascal::kept = {};
    CHECK(call->wait() == sdk::status::disconnected);
    CHECK(call->completions() == 1);
    CHECK(r.said("dropped without being completed") == 1);
}

TEST_CASE("an operation completed twice is completed once") {
    rascals r;
    auto call = r.as(conduct::ends_twice);
    CHECK(call->was_pending());
    std::thread([] { rascal::kept.complete(sdk::status::end); }).join();
    rascal::kept.complete(sdk::status::done);
    CHECK(call->wait() == sdk::status::end);
    CHECK(call->completions() == 1);
    CHECK(r.said("completed twice") == 1);
}

TEST_CASE("completing twice after the instance is gone touches nothing") {
    {
        rascals r;
        auto call = r.as(conduct::ends_twice);
        rascal::kept.complete(sdk::status::end);
        CHECK(call->wait() == sdk::status::end);
    }
    rascal::kept.complete(sdk::status::end);
}

TEST_CASE("a start that answers although it kept its operation stays pending") {
    rascals r;
    auto call = r.as(conduct::keeps_and_answers);
    CHECK(call->was_pending());
    rascal::kept.complete(sdk::status::end);
    CHECK(call->wait() == sdk::status::end);
    CHECK(r.said("although its operation is still held") == 1);
}

TEST_CASE("pending without an operation is an error") {
    rascals r;
    CHECK(r.as(conduct::pending_without)->wait() == sdk::status::disconnected);
    CHECK(r.said("pending without later()") == 1);
}

TEST_CASE("completing as pending is taken as retry") {
    rascals r;
    auto call = r.as(conduct::ends_as_pending);
    rascal::kept.complete(sdk::status::pending);
    CHECK(call->wait() == sdk::status::retry);
    CHECK(r.said("completed with `pending`") == 1);
}

TEST_CASE("what is thrown ends at the edge, with its text") {
    rascals r;
    auto call = r.as(conduct::throws);
    CHECK(call->wait() == sdk::status::disconnected);
    CHECK(call->text() == "a wild exception");
    auto later = r.as(conduct::throws_after_later);
    CHECK(later->was_pending());
    CHECK(later->text() == "after later");
    rascal::kept.complete(sdk::status::end);
    CHECK(later->wait() == sdk::status::end);
}

TEST_CASE("a completion inside cancel comes after it") {
    rascals r;
    auto call = r.as(conduct::ends_twice);
    r.cancel(call->id());
    CHECK_FALSE(call->is_done());
    CHECK(call->wait() == sdk::status::cancelled);
    CHECK(call->completions() == 1);
}

TEST_CASE("what the host does wrong with batches is named, and does not reach the plugin") {
    rascals r;
    auto call = r.as(conduct::proper);
    REQUIRE(call->size() == 2);
    rascal::settles = 0;
    int other = 0;
    using results = std::vector<std::int32_t>;
    CHECK(r.settle(&other, {0}) == results{MQB_SETTLE_GONE});
    CHECK(r.blamed("settle of a batch that is not alive") == 1);
    CHECK(r.settle(call->raw().batch, {2}) == results{MQB_SETTLE_GONE});
    CHECK(r.blamed("an index that the batch does not have") == 1);
    CHECK(r.settle(call->raw().batch, {0}, MQB_REJECT) == results{MQB_SETTLE_GONE});
    CHECK(r.blamed("a disposition that was not declared") == 1);
    CHECK(rascal::settles == 0);
    CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_OK});
    CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_GONE});
    CHECK(r.blamed("an index that is settled already") == 1);
    CHECK(rascal::settles == 1);
    r.free_batch(*call);
    r.free_batch(*call);
    CHECK(r.blamed("free_batch of a batch that is not alive") == 1);
}

TEST_CASE("an outcome beside the array is not written") {
    testing::host host;
    sdk::instance owner(&host);
    mqb_send raw{};
    raw.call.explain = [](mqb_call*, std::uint32_t, mqb_text) {};
    sdk::send_call(raw, owner).done(0);
    CHECK(host.count_lines(MQB_LOG_ERROR, "outcome of message 0 of a send of 0") == 1);
}
