// Chunks that stand under the names of others: names come back, and files are written on.
#include <fcntl.h>

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* old_sidecar = R"({"message_id":"00000000-0000-0000-0000-000000000007","metadata":{"k":"v"}})";

}  // namespace

TEST_CASE("a chunk that has come under the name of one that is out stays until it is read itself") {
    for (const bool is_whole : {true, false}) {
        const scratch dir;
        const auto put = [&](const std::string& name, const std::string& payload, const std::string& sidecar) {
            if (!sidecar.empty()) dir.write(name + ".json", sidecar);
            dir.write(name + ".bin", payload);
        };
        put("0", "old 0", old_sidecar);
        put("1", "old 1", old_sidecar);
        put("2", "old 2", old_sidecar);
        reader slow(dir.config(R"("claim":"off","max_record_bytes":)" + std::string(is_whole ? "100" : "3")));
        auto call = slow.get();
        REQUIRE(call->size() == 3);
        // The other consumer empties the spool, and a new producer begins at 0 again.
        CHECK(reader(dir.config(R"("claim":"off")")).drain() == texts{"old 0", "old 1", "old 2"});
        put("0", "a new one", R"({"metadata":{"new":"0"}})");
        put("1", "old 1", R"({"metadata":{"new":"1"}})");  // as long as the one before, and only its time is another one
        fs::last_write_time(dir / "1.bin", fs::last_write_time(dir / "1.bin") + 1ms);
        dir.write("2.json", R"({"metadata":{"new":"2"}})");  // its payload is still being written
        const texts before = dir.chunks();
        CHECK(slow.settle(call->raw().batch, {0, 1, 2}) == results(3, MQB_SETTLE_OK));
        slow.free_batch(*call);
        CHECK(dir.chunks() == before);
        CHECK(slow.counted("chunks_replaced") == 2);
        dir.write("2.bin", "new 2");
        reader next(dir.config(R"("claim":"off")"));
        auto rest = next.get();
        REQUIRE(rest->size() == 3);
        CHECK(rest->payload(0) == "a new one");
        for (std::uint32_t i = 0; i < 3; ++i) CHECK(metadata_of(rest->message(i)) == "new=" + std::to_string(i) + ";");
        next.settle_all(*rest);
        next.free_batch(*rest);
        CHECK(dir.chunks().empty());
        CHECK(slow.drain().empty());
    }
}

TEST_CASE("a chunk that has come under the name of one that was given is given too, also where nothing is deleted") {
    const scratch dir;
    dir.write("0.bin", "old");
    dir.write("1.bin", "stays");
    reader r(dir.config(R"("drain_on_read":false)")), given_back(dir.config(R"("drain_on_read":false)"));
    CHECK(r.drain() == texts{"old", "stays"});
    auto call = given_back.get();
    given_back.settle(call->raw().batch, {1});
    fs::remove(dir / "0.bin");
    dir.write("0.bin", "a new one");
    CHECK(r.ask("lag") == R"({"messages":1})");
    CHECK(r.drain() == texts{"a new one"});
    CHECK(r.ask("lag") == R"({"messages":0})");
    CHECK(r.drain().empty());
    given_back.free_batch(*call);
    auto again = given_back.get();
    REQUIRE(again->size() == 1);
    CHECK(again->payload(0) == "a new one");
    CHECK(again->message(0).delivery_count == 1);
    given_back.free_batch(*again);
    auto twice = given_back.get();
    CHECK(twice->message(0).delivery_count == 2);
    given_back.free_batch(*twice);
}

TEST_CASE("where nothing is deleted and there is more than a listing holds, all comes once, and what comes meanwhile is not left out") {
    const scratch dir;
    constexpr int count = 65536 + 64;
    fs::create_directories(dir.spool());
    for (int i = 0; i < count; ++i) {
        const int file = ::open((dir / (std::to_string(1'000'000 + i) + ".bin")).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        REQUIRE(file >= 0);
        ::close(file);
    }
    reader r(dir.config(R"("drain_on_read":false,"metadata_extension":"")"));
    auto first = r.get(1);
    CHECK(first->size() == 1);
    r.settle_all(*first);
    r.free_batch(*first);
    // In front of what the first listing holds, among it, and behind.
    dir.write("0.bin", "in front");
    dir.write("1000000.bin", "another one");
    dir.write("2000000.bin", "behind");
    const texts all = r.drain(10'000);
    REQUIRE(all.size() == count - 1 + 3);
    CHECK(std::ranges::count(all, "") == count - 1);
    CHECK(all[count - 1] == "behind");
    CHECK(all[count] == "in front");
    CHECK(all[count + 1] == "another one");
    CHECK(r.drain().empty());
    // What was behind the first listing is gone: that is not the end of what is in front.
    reader second(dir.config(R"("drain_on_read":false,"metadata_extension":"")"));
    auto again = second.get(1);
    second.free_batch(*again);
    for (int i = 65530; i < count; ++i) fs::remove(dir / (std::to_string(1'000'000 + i) + ".bin"));
    fs::remove(dir / "2000000.bin");
    dir.write("00.bin", "in front again");
    const texts rest = second.drain(10'000);
    CHECK(rest.size() == 65530 + 2);
    CHECK(rest.back() == "in front again");
}

TEST_CASE("what was read while it was written in place comes again whole, and nothing of it is deleted before") {
    const scratch dir;
    dir.write("0.bin", "the beginn");
    reader r(dir.config());
    auto call = r.get();
    CHECK(call->payload(0) == "the beginn");
    { std::ofstream(dir / "0.bin", std::ios::app) << "ing and the end"; }
    r.settle_all(*call);
    r.free_batch(*call);
    CHECK(r.drain() == texts{"the beginning and the end"});
    CHECK(dir.chunks().empty());
}
