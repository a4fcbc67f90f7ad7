#include <sys/stat.h>

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;
using mqb::sdk::status;
using namespace std::chrono_literals;

namespace {

std::string id_of(const mqb_message& message) { return mqb::sdk::uuid_text(message.id); }

constexpr const char* sidecar_7 = R"({"message_id":"00000000-0000-0000-0000-000000000007","metadata":{"k":"v"}})";

}  // namespace

TEST_CASE("chunks come in the order of their names, with ids and metadata, and are gone when they are acknowledged") {
    const scratch dir;
    dir.write("2.bin", "two");
    dir.write("10.bin", "ten");
    dir.write("10.json", sidecar_7);
    dir.write("1.json", sidecar_7);
    reader r(dir.config());
    auto call = r.get();
    REQUIRE(call->size() == 2);
    CHECK(call->payload(0) == "ten");
    CHECK(id_of(call->message(0)) == "00000000-0000-0000-0000-000000000007");
    CHECK(metadata_of(call->message(0)) == "k=v;");
    CHECK(call->message(0).delivery_count == 1);
    CHECK(call->payload(1) == "two");
    CHECK(metadata_of(call->message(1)) == "");
    CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_OK});
    CHECK(dir.chunks() == texts{"1.json", "2.bin"});
    CHECK(r.settle(call->raw().batch, {1}) == results{MQB_SETTLE_OK});
    r.free_batch(*call);
    CHECK(dir.files() == texts{"1.json", "CONSUMER"});
    r.get();
    CHECK(r.last == status::end);
}

TEST_CASE("a chunk without an id has one of its own, the same at every start") {
    const scratch dir;
    for (const char* name : {"1.bin", "2.bin", "3.bin"}) dir.write(name, "same");
    dir.write("3.json", R"({"metadata":{"k":"v"}})");
    texts first, again;
    for (texts* ids : {&first, &again}) {
        reader r(dir.config());
        auto call = r.get();
        for (std::uint32_t i = 0; i < call->size(); ++i) ids->push_back(id_of(call->message(i)));
        CHECK(metadata_of(call->message(2)) == "k=v;");
        r.free_batch(*call);
    }
    CHECK(first.size() == 3);
    CHECK(first == again);
    std::ranges::sort(first);
    CHECK(std::ranges::adjacent_find(first) == first.end());
    for (const std::string& id : first) CHECK(id[14] == '7');
    // Another file under the name is another message.
    fs::last_write_time(dir / "1.bin", fs::last_write_time(dir / "1.bin") + 1s);
    reader r(dir.config());
    auto call = r.get();
    CHECK(std::ranges::find(first, id_of(call->message(0))) == first.end());
    r.free_batch(*call);
}

TEST_CASE("what is given back or freed comes again at its place, counted; the rest is not touched") {
    const scratch dir;
    for (int i = 1; i <= 5; ++i) dir.write(std::to_string(i) + ".bin", std::to_string(i));
    reader r(dir.config());
    auto call = r.get(4);
    CHECK(r.settle(call->raw().batch, {1, 3}, MQB_NACK) == results{MQB_SETTLE_OK, MQB_SETTLE_OK});
    CHECK(r.settle(call->raw().batch, {2}) == results{MQB_SETTLE_OK});
    auto next = r.get(2);
    CHECK(next->payload(0) == "2");
    CHECK(next->message(0).delivery_count == 2);
    CHECK(next->payload(1) == "4");
    r.free_batch(*call);  // 1 was not settled
    r.free_batch(*next);
    CHECK(r.drain(1) == texts{"1", "2", "4", "5"});
}

TEST_CASE("what is given back for later is waited for, also in a drain") {
    const scratch dir;
    dir.write("1.bin", "1");
    dir.write("2.bin", "2");
    reader r(dir.config());
    auto call = r.get();
    const auto begin = std::chrono::steady_clock::now();
    r.settle(call->raw().batch, {0}, MQB_NACK, 300'000'000);
    r.settle(call->raw().batch, {1});
    r.free_batch(*call);
    CHECK(r.drain() == texts{"1"});
    CHECK(std::chrono::steady_clock::now() - begin >= 300ms);
}

TEST_CASE("a receive waits for what comes, and can be cancelled") {
    const scratch dir;
    reader r(dir.config(R"("poll_interval_ms":5)"));
    auto waits = r.start_receive(10);
    dir.write("x", "");
    fs::rename(dir / "x", dir / "1.bin");
    CHECK(waits->wait() == status::done);
    CHECK(waits->size() == 1);
    r.settle_all(*waits);
    r.free_batch(*waits);
    auto cancelled = r.start_receive(10);
    r.cancel(cancelled->id());
    CHECK(cancelled->wait() == status::cancelled);
    dir.write("2.bin", "2");
    CHECK(r.drain() == texts{"2"});
}

TEST_CASE("without drain_on_read nothing is deleted, every start reads everything once, and what comes late is read too") {
    const scratch dir;
    dir.write("10.bin", "10");
    dir.write("11.bin", "11");
    const std::string keeps = dir.config(R"("drain_on_read":false,"poll_interval_ms":5)");
    {
        reader r(keeps), second(keeps), drainer(dir.config());  // no claim is needed to look
        CHECK(r.drain() == texts{"10", "11"});
        CHECK(r.drain().empty());
        dir.write("09.bin", "09");
        CHECK(r.drain() == texts{"09"});
        CHECK(second.drain() == texts{"09", "10", "11"});
        auto call = r.get();
        CHECK(r.last == status::end);
    }
    CHECK(dir.files() == texts{"09.bin", "10.bin", "11.bin"});
    reader r(keeps);
    auto call = r.get();
    r.settle(call->raw().batch, {0}, MQB_NACK);
    r.settle(call->raw().batch, {1});
    r.free_batch(*call);
    CHECK(r.drain() == texts{"09", "11"});
    CHECK(dir.chunks().size() == 3);
}

TEST_CASE("with stop_on_done the input ends when the marker is there and everything is settled") {
    const scratch dir;
    dir.write("1.bin", "1");
    dir.write("DONE", "");
    reader r(dir.config(R"("stop_on_done":true,"poll_interval_ms":5)"));
    auto call = r.receive(10);
    CHECK(call->payload(0) == "1");
    auto waits = r.start_receive(10);
    r.settle(call->raw().batch, {0}, MQB_NACK);
    CHECK(waits->wait() == status::done);  // not the end: it came again
    r.settle_all(*waits);
    r.free_batch(*call);
    r.free_batch(*waits);
    auto last = r.receive(10);
    CHECK(last->wait() == status::end);
    CHECK(dir.has("DONE"));

    const scratch tailed;
    tailed.write("DONE", "");
    reader tail(tailed.config(R"("poll_interval_ms":5)"));
    auto pending = tail.start_receive(10);
    CHECK(pending->wait(100ms) == status::pending);
    tail.cancel(pending->id());
    CHECK(pending->wait() == status::cancelled);
}

TEST_CASE("the source is named where that is asked for, and that of the hop before never crosses") {
    const scratch dir;
    dir.write("00/1_5.bin", "1");
    dir.write("00/1_5.json", R"({"metadata":{"mqb.src.file_path":"x","k":"v"}})");
    for (const bool asked : {true, false}) {
        reader r(dir.config(std::string(R"("shard_depth":1,"shard_width":2,"source_metadata":)") + (asked ? "true" : "false")));
        auto call = r.get();
        CHECK(metadata_of(call->message(0)) == (asked ? "k=v;mqb.src.spool_path=" + dir.spool() + ";mqb.src.spool_chunk=00/1_5;" : "k=v;"));
        r.free_batch(*call);
    }
    ::setenv("MQB_SOURCE_METADATA", "1", 1);
    reader r(dir.config(R"("shard_depth":1,"shard_width":2)"));
    ::unsetenv("MQB_SOURCE_METADATA");
    auto call = r.get();
    CHECK(metadata_of(call->message(0)).find("mqb.src.spool_chunk=00/1_5;") != std::string::npos);
    r.settle_all(*call);
    r.free_batch(*call);
    CHECK(dir.chunks().empty());  // the shard too
}

TEST_CASE("a chunk with a broken sidecar is refused with its name and its bytes, and reading goes on") {
    const scratch dir;
    for (int i = 1; i <= 3; ++i) dir.write(std::to_string(i) + ".bin", std::to_string(i));
    dir.write("2.json", R"({"message_id":)");
    reader r(dir.config());
    auto call = r.get();
    REQUIRE(call->size() == 3);
    CHECK(call->payload(1) == "2");
    CHECK(metadata_of(call->message(1)) == "mqb.error=spool '" + dir.spool() +
                                               "': the sidecar of chunk 2.bin is broken: it is not JSON: a value was expected at byte 14;"
                                               "mqb.src.spool_path=" +
                                               dir.spool() + ";mqb.src.spool_chunk=2;");
    CHECK(r.counted("records_refused") == 1);
    r.settle_all(*call);
    r.free_batch(*call);
    CHECK(dir.chunks().empty());
}

TEST_CASE("a chunk beyond max_record_bytes is refused with its beginning, and the whole of it stays") {
    const scratch dir;
    dir.write("1.bin", "12345");
    dir.write("2.bin", "123456");
    dir.write("2.json", sidecar_7);
    reader r(dir.config(R"("max_record_bytes":5)"));
    auto call = r.get();
    REQUIRE(call->size() == 2);
    CHECK(call->payload(0) == "12345");
    CHECK(metadata_of(call->message(0)) == "");
    CHECK(call->payload(1) == "12345");
    CHECK(metadata_of(call->message(1))
              .starts_with("mqb.error=spool '" + dir.spool() +
                           "': chunk 2.bin has 6 bytes, more than max_record_bytes (5); here are its first 5, and it "
                           "stays in the spool, with .refused behind its name;"));
    r.settle_all(*call);
    r.free_batch(*call);
    CHECK(dir.chunks() == texts{"2.bin.refused", "2.json.refused"});
    CHECK(dir.read("2.bin.refused") == "123456");
    CHECK(r.drain().empty());
    // Others of that name do not replace it.
    for (const char* other : {"234567", "345678"}) {
        dir.write("2.bin", other);
        CHECK(r.drain() == texts{std::string(other).substr(0, 5)});
    }
    CHECK(dir.chunks() == texts{"2.bin.2.refused", "2.bin.3.refused", "2.bin.refused", "2.json.refused"});
    CHECK(dir.read("2.bin.refused") == "123456");
    CHECK(dir.read("2.bin.3.refused") == "345678");
}

TEST_CASE("a chunk with the longest name that there is is read and refused as all are") {
    const std::string stem(255 - 4, 'x'), cut(255 - 8, 'x'), cut_more(255 - 10, 'x');
    for (const std::string& shard : {std::string{}, std::string("00/")}) {
        const scratch dir;
        reader r(dir.config(R"("max_record_bytes":5,"shard_width":2,"shard_depth":)" + std::string(shard.empty() ? "0" : "1")));
        for (const char* payload : {"the first", "the other"}) {
            dir.write(shard + stem + ".bin", payload);
            CHECK(r.drain() == texts{std::string(payload).substr(0, 5)});
        }
        dir.write(shard + stem + ".bin", "short");
        CHECK(r.drain() == texts{"short"});
        CHECK(dir.read(shard + cut + ".refused") == "the first");
        CHECK(dir.read(shard + cut_more + ".2.refused") == "the other");
        CHECK(r.drain().empty());
    }
}

TEST_CASE("a chunk that is gone when it is to be read is passed over and counted") {
    const scratch dir;
    for (int i = 1; i <= 3; ++i) dir.write(std::to_string(i) + ".bin", std::to_string(i));
    reader r(dir.config());
    auto first = r.get(1);
    fs::remove(dir / "2.bin");
    fs::remove(dir / "1.bin");  // acknowledged all the same
    CHECK(r.settle(first->raw().batch, {0}) == results{MQB_SETTLE_OK});
    r.free_batch(*first);
    CHECK(r.drain() == texts{"3"});
    CHECK(r.counted("chunks_vanished") == 1);
}

TEST_CASE("the lag is what was not given out") {
    const scratch dir;
    for (const char* name : {"00/1.bin", "00/2.bin", "01/1.bin", "7.bin", "00/1.json", "x"}) dir.write(name, "");
    for (const bool drains : {false, true}) {
        reader r(dir.config(R"("shard_depth":1,"shard_width":2,"drain_on_read":)" + std::string(drains ? "true" : "false")));
        CHECK(r.ask("lag") == R"({"messages":4})");
        auto call = r.get(3);
        CHECK(r.ask("lag") == R"({"messages":1})");
        dir.write("02/1.bin", "");
        CHECK(r.ask("lag") == R"({"messages":2})");
        fs::remove_all(dir / "02");
        r.settle(call->raw().batch, {0});
        CHECK(r.ask("lag") == R"({"messages":1})");
        CHECK(r.ask("other") == "unsupported");
        r.free_batch(*call);
    }
}

TEST_CASE("bounds of a batch are kept") {
    const scratch dir;
    for (int i = 1; i <= 4; ++i) dir.write(std::to_string(i) + ".bin", std::string(10, 'x'));
    reader r(dir.config());
    auto one = r.receive(100, true, 1), two = r.receive(100, true, 20), rest = r.receive(100, true, 0);
    CHECK(one->size() == 1);
    CHECK(two->size() == 2);
    CHECK(rest->size() == 1);
    for (auto* batch : {one.get(), two.get(), rest.get()}) r.settle_all(*batch), r.free_batch(*batch);
    CHECK(dir.chunks().empty());
}

TEST_CASE("a spool that is removed is a lost connection, and what was given of it is nobody's") {
    const scratch dir;
    dir.write("1.bin", "old");
    reader r(dir.config());
    auto call = r.get();
    fs::rename(dir.spool(), dir.folder + "/old");
    auto lost = r.receive(10, true);
    CHECK(lost->wait() == status::disconnected);
    CHECK(lost->text() == "spool '" + dir.spool() + "' was removed");
    CHECK(r.connect() == status::done);
    dir.write("1.bin", "new");
    CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_GONE});
    r.free_batch(*call);
    CHECK(dir.read("1.bin") == "new");
    CHECK(r.drain() == texts{"new"});
}

TEST_CASE("a connection made again to the same spool keeps what is out") {
    const scratch dir;
    dir.write("1.bin", "1");
    dir.write("2.bin", "2");
    reader r(dir.config());
    auto call = r.get(1);
    CHECK(r.connect() == status::done);
    CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_OK});
    r.free_batch(*call);
    CHECK(r.drain() == texts{"2"});
}

TEST_CASE("a second consumer is refused, warned, or nothing") {
    const scratch dir;
    reader first(dir.config());
    mqb::sdk::testing::consumer second(endpoint(), dir.config());
    CHECK(refused(second, status::bad_config) == "spool '" + dir.spool() + "' has a consumer already: process " +
                                                     std::to_string(::getpid()) + " holds " + dir.spool() + "/CONSUMER");
    reader warned(dir.config(R"("claim":"warn")")), off(dir.config(R"("claim":"off")"));
    CHECK(warned.host.count_lines(MQB_LOG_WARNING, "has a consumer already") == 1);
    CHECK(off.host.count_lines(MQB_LOG_WARNING, "") == 0);
    producer beside(dir.config());
    CHECK(beside.put({"x"}) == results{MQB_DONE});
    CHECK(off.drain() == texts{"x"});
}

TEST_CASE("directories in which nobody looks are told once") {
    const scratch dir;
    dir.write("000/1.bin", "x");
    reader r(dir.config());
    CHECK(r.drain().empty());
    CHECK(r.drain().empty());
    CHECK(std::ranges::count_if(r.host.events(), [](const auto& e) {
              return e.kind == MQB_WARN &&
                     e.text.find("in which a reader with shard_depth 0 and shard_width 3 does not look") != std::string::npos;
          }) == 1);
}

TEST_CASE("what nobody may read or delete is named") {
    if (::geteuid() == 0) return;  // root may: the same is tried with a program of another user in tests/end-to-end
    const scratch dir;
    dir.write("1.bin", "1");
    dir.write("2.bin", "2");
    ::chmod((dir / "2.bin").c_str(), 0);
    reader r(dir.config());
    auto call = r.get();
    CHECK(call->size() == 1);
    auto failed = r.receive(10);
    CHECK(failed->wait() == status::retry);
    CHECK(failed->text().starts_with("cannot read 2.bin of spool"));
    ::chmod((dir / "2.bin").c_str(), 0600);
    r.settle_all(*call);
    r.free_batch(*call);
    CHECK(r.drain() == texts{"2"});
}
