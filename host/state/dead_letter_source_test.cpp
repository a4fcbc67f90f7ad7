#include "host/state/dead_letter_source.hpp"

#include "host/state/database.hpp"
#include "host/state/sqlite_dead_letters.hpp"
#include "host/state/state_test.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <fstream>
#include <iterator>

using namespace mqb::state;
using mqb::core::disposition;
using mqb::core::status;
namespace fs = std::filesystem;

namespace {

struct filled_store {
    explicit filled_store(std::uint64_t count, std::uint64_t first = 1) { add(first, count); }
    void add(std::uint64_t first, std::uint64_t count) {
        auto store = sqlite_dead_letters::open(file);
        REQUIRE(store.has_value());
        REQUIRE(bury(*(*store)->open("orders", 0, side.box, side.log), side, test_letters{first, count}.letters) == status::ok);
    }
    scratch_folder folder;
    fs::path file = folder.path() / "letters.db";
    route_side side;
};

// A source and what a route does with it.
struct replay {
    replay(filled_store& in, letter_filter filter = {}) : store(in), source(in.file, std::move(filter), in.side.box) {
        answered<mqb::core::control_call> call;
        REQUIRE(call.wait(source.connect(call), store.side) == status::ok);
    }
    // The payloads, or the status where there are none.
    std::string receive(std::uint32_t most, std::uint64_t bytes = 0) {
        answered<mqb::core::receive_call> call;
        call.max_messages = most;
        call.max_bytes = bytes;
        const status answer = call.wait(source.receive(call), store.side);
        if (answer != status::ok) return std::string{to_text(answer)};
        batch = call.batch;
        messages = call.messages;
        std::string out;
        for (std::uint32_t i = 0; i < messages.count; ++i) out += (i ? "," : "") + std::string{messages[i].payload.text()};
        return out;
    }
    status settle(std::uint32_t index, disposition what, std::string_view reason = {}) {
        mqb::core::settle_entry entry;
        entry.index = index;
        entry.what = what;
        entry.reason = {reason.data(), reason.size()};
        mqb::core::outcome outcome;
        answered<mqb::core::settle_call> call;
        call.batch = batch;
        call.entries = mqb::core::list<const mqb::core::settle_entry>{std::span<const mqb::core::settle_entry>{&entry, 1}};
        call.outcomes = mqb::core::list<mqb::core::outcome>{std::span{&outcome, 1}};
        const status answer = call.wait(source.settle(call), store.side);
        CHECK(outcome.settled() == (answer == status::ok ? mqb::core::settle_result::ok : mqb::core::settle_result::retry));
        return answer;
    }
    void close() {
        answered<mqb::core::control_call> call;
        CHECK(call.wait(source.close(call), store.side) == status::ok);
    }
    filled_store& store;
    dead_letter_source source;
    void* batch = nullptr;
    mqb::core::message_list messages;
};

// "id:attempts:error" of what is left.
std::string left_in(const filled_store& in) {
    std::string out;
    for (const letter& l : stored(in.file))
        out += (out.empty() ? "" : ", ") + std::to_string(l.id) + ':' + std::to_string(l.attempts) + ':' + l.error;
    return out;
}

}  // namespace

TEST_CASE("letters come back as the messages they were, in order, once, and then the end") {
    filled_store store{5};
    replay run{store};
    CHECK(run.receive(2) == "payload 1,payload 2");
    CHECK(run.messages[1].lane == 2);
    CHECK(run.messages[1].id[15] == 2);
    CHECK(run.messages[1].delivery_count == 2);
    CHECK(run.messages[1].payload.owner != nullptr);
    CHECK(run.messages[1].metadata.is_null());
    run.source.free_batch(run.batch);
    CHECK(run.receive(100) == "payload 3,payload 4,payload 5");
    run.source.free_batch(run.batch);
    CHECK(run.receive(100) == "end");
    run.close();
}

TEST_CASE("an acknowledged letter is gone; one given back or refused stays with one attempt more") {
    filled_store store{4};
    replay run{store};
    CHECK(run.receive(10) == "payload 1,payload 2,payload 3,payload 4");
    CHECK(run.settle(2, disposition::ack) == status::ok);
    CHECK(run.settle(0, disposition::reject, "still refused") == status::ok);
    CHECK(run.settle(1, disposition::nack) == status::ok);
    CHECK(left_in(store) == "1:2:still refused, 2:2:refused 2, 4:1:refused 4");
    run.source.free_batch(run.batch);
    run.close();
    CHECK(left_in(store) == "1:2:still refused, 2:2:refused 2, 4:2:refused 4");
    CHECK(stored(store.file)[0].first_at == 1001);
    CHECK(stored(store.file)[0].last_at > 1'000'000'000'000'000'000);
    replay again{store};
    CHECK(again.receive(10) == "payload 1,payload 2,payload 4");
    CHECK(again.messages[0].delivery_count == 3);
    again.source.free_batch(again.batch);
    again.close();
}

TEST_CASE("a replay takes what the filter names, up to its limit, and nothing that comes after its begin") {
    filled_store store{6};
    letter_filter filter;
    filter.since = 2002;
    filter.limit = 3;
    {
        replay run{store, filter};
        CHECK(run.receive(2) == "payload 2,payload 3");
        run.source.free_batch(run.batch);
        CHECK(run.receive(2) == "payload 4");
        run.source.free_batch(run.batch);
        CHECK(run.receive(2) == "end");
        run.close();
    }
    replay run{store};
    store.add(100, 3);
    CHECK(run.receive(100) == "payload 1,payload 2,payload 3,payload 4,payload 5,payload 6");
    run.source.free_batch(run.batch);
    CHECK(run.receive(100) == "end");
    run.close();
}

TEST_CASE("a batch keeps to its bytes, and a letter that is larger goes alone") {
    filled_store store{4};
    replay run{store};
    CHECK(run.receive(100, 18) == "payload 1,payload 2");
    run.source.free_batch(run.batch);
    CHECK(run.receive(100, 1) == "payload 3");
    run.source.free_batch(run.batch);
    CHECK(run.receive(100, 1) == "payload 4");
    run.source.free_batch(run.batch);
    run.close();
}

TEST_CASE("buffers outlive their batch and their source while somebody holds them") {
    filled_store store{1};
    mqb::core::message kept;
    {
        replay run{store};
        CHECK(run.receive(1) == "payload 1");
        kept = run.messages.copy(0);
        kept.payload.owner->retain(kept.payload.owner);
        run.source.free_batch(run.batch);
        run.close();
    }
    CHECK(kept.payload.text() == "payload 1");
    kept.payload.owner->release(kept.payload.owner);
}

TEST_CASE("letters purged on the way are passed over, and their settlement is no fault") {
    filled_store store{4};
    replay run{store};
    CHECK(run.receive(2) == "payload 1,payload 2");
    letter_filter gone;
    gone.ids = {2, 3};
    CHECK(*letter_archive::open(store.file)->purge(gone) == 2);
    CHECK(run.settle(1, disposition::ack) == status::ok);
    CHECK(run.settle(0, disposition::ack) == status::ok);
    run.source.free_batch(run.batch);
    CHECK(run.receive(10) == "payload 4");
    run.source.free_batch(run.batch);
    run.close();
    CHECK(left_in(store) == "4:2:refused 4");
}

TEST_CASE("a store that was never written is an empty source; a damaged one does not connect") {
    scratch_folder in;
    route_side side;
    const fs::path file = in.path() / "letters.db";
    dead_letter_source none{file, {}, side.box};
    answered<mqb::core::control_call> connect;
    CHECK(connect.wait(none.connect(connect), side) == status::ok);
    answered<mqb::core::receive_call> receive;
    receive.max_messages = 10;
    CHECK(receive.wait(none.receive(receive), side) == status::end);
    CHECK_FALSE(fs::exists(file));

    filled_store filled{1};
    fs::resize_file(filled.file, 50);
    dead_letter_source damaged{filled.file, {}, side.box};
    answered<mqb::core::control_call> again;
    CHECK(again.wait(damaged.connect(again), side) == status::retry);
    CHECK(again.texts.best(mqb::core::whole_call).starts_with(filled.file.string() + ": is damaged or no database"));
}

TEST_CASE("what was read before a damaged letter is given, and the damage is told then") {
    filled_store store{5};
    {
        auto in = database::open(store.file, std::chrono::seconds{1});
        REQUIRE(in.has_value());
        REQUIRE((*in)->run("UPDATE letters SET payload = replace(hex(zeroblob(50000)), '0', 'Z') WHERE id = 3"));
    }
    // The payload goes on in pages of its own, each of which begins with the number of the next.
    std::fstream file(store.file, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    const std::size_t inside = bytes.find(std::string(3000, 'Z'));
    REQUIRE(inside != std::string::npos);
    const std::size_t page = bytes.find(std::string(3000, 'Z'), (inside / 4096 + 1) * 4096) / 4096 * 4096;
    file.seekp(static_cast<std::streamoff>(page));
    file.write("\xff\xff\xff\xff", 4);
    file.close();

    replay run{store};
    CHECK(run.receive(10) == "payload 1,payload 2");
    CHECK(run.settle(0, disposition::ack) == status::ok);
    CHECK(run.settle(1, disposition::ack) == status::ok);
    run.source.free_batch(run.batch);
    CHECK(run.receive(10) == "disconnected");
    CHECK(left_in(store) == "3:1:refused 3, 4:1:refused 4, 5:1:refused 5");
}

TEST_CASE("a settlement that cannot be recorded answers retry, and counts when it is asked for again") {
    filled_store store{2};
    replay run{store};
    CHECK(run.receive(10) == "payload 1,payload 2");
    run.close();
    CHECK(run.settle(0, disposition::ack) == status::disconnected);
    CHECK(left_in(store) == "1:1:refused 1, 2:1:refused 2");
    answered<mqb::core::control_call> again;
    CHECK(again.wait(run.source.connect(again), store.side) == status::ok);
    CHECK(run.settle(0, disposition::ack) == status::ok);
    CHECK(left_in(store) == "2:1:refused 2");
    CHECK(run.receive(10) == "end");
    run.source.free_batch(run.batch);
    run.close();
    CHECK(left_in(store) == "2:2:refused 2");
}

TEST_CASE("a filter becomes a configuration and back, and a wrong one is refused") {
    letter_filter f;
    f.ids = {3, 1};
    f.route = "o\"r";
    f.endpoint = "output";
    f.why = mqb::core::death::given_up;
    f.since = 1'700'000'000'000'000'000;
    f.until = 5;
    f.error = "e";
    f.limit = 9;
    CHECK(
        to_config(f) ==
        R"({"ids":[3,1],"route":"o\"r","endpoint":"output","class":"exhausted","since":1700000000000000000,"until":5,"error":"e","limit":9})");
    CHECK(to_config(*filter_of(to_config(f))) == to_config(f));
    CHECK(to_config({}) == "{}");
    CHECK(filter_of("[]").error().text == "is not a JSON object");
    CHECK(filter_of(R"({"routes": "x"})").error().text == "routes: unknown, or of another type");
    CHECK(filter_of(R"({"limit": -1})").error().text == "limit: unknown, or of another type");
    CHECK(filter_of(R"({"class": "dead"})").error().text == "class: refused, exhausted or max_deliveries");
    CHECK(filter_of(R"({"ids": ["1"]})").error().text == "ids: holds what is no id");
}

TEST_CASE("the factory makes consumers only, with the promises of the source") {
    filled_store store{1};
    dead_letter_source_factory factory{store.file};
    CHECK(factory.sides() == mqb::core::consumer_side);
    const auto promised = factory.promise("{}", mqb::core::consumer_side);
    REQUIRE(promised.has_value());
    CHECK(promised->unit == mqb::core::settle_unit::message);
    CHECK(promised->flags == (mqb::core::promises::acknowledges | mqb::core::promises::stable_identity | mqb::core::promises::finite));
    CHECK(promised->dispositions == 7);
    CHECK(factory.promise("{}", mqb::core::publisher_side).error().what == status::unsupported);
    CHECK(factory.promise("{\"x\":1}", mqb::core::consumer_side).error().what == status::bad_config);
    boost::asio::io_context context;
    mqb::core::manual_timers clock{store.side.box};
    const auto make = [&](const char* config) {
        auto made = boost::asio::co_spawn(
            context, factory.make_consumer({store.side.box, clock, store.side.log, "replay", "input", "replay-1", ""}, config),
            boost::asio::use_future);
        context.run();
        context.restart();
        return made.get();
    };
    const auto good = make(R"({"route": "orders"})");
    REQUIRE(good.has_value());
    answered<mqb::core::control_call> connect;
    CHECK(connect.wait((*good)->connect(connect), store.side) == status::ok);
    CHECK(make("{\"x\":1}").error().text == "x: unknown, or of another type");
}
