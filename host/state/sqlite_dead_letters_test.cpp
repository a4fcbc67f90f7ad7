#include "host/state/sqlite_dead_letters.hpp"

#include "host/state/letter_tables.hpp"
#include "host/state/state_test.hpp"

#include <sys/stat.h>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

using namespace mqb::state;
using mqb::core::dead_letter;
using mqb::core::death;
using mqb::core::status;
namespace fs = std::filesystem;

namespace {

// One entry of a metadata block.
std::string entry(unsigned type, std::string_view key, std::string_view value) {
    std::string out{static_cast<char>(type), '\0', static_cast<char>(key.size()), static_cast<char>(key.size() >> 8)};
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value.size() >> shift);
    return out.append(key).append(value);
}

std::string number(std::uint64_t value, int bytes = 8) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
}

const std::string every_type = entry(0, "none", "") + entry(1, "raw", std::string_view{"\x00\xff", 2}) + entry(2, "text", "h\xc3\xa9llo") +
                               entry(3, "flag", std::string_view{"\x01", 1}) + entry(4, "count", number(~std::uint64_t{0})) +
                               entry(5, "half", number(0x3fe0000000000000)) + entry(5, "endless", number(0xfff0000000000000)) +
                               entry(6, "when", number(1'700'000'000) + number(120'000'000, 4)) + entry(7, "doc", R"({"a":1})") +
                               entry(200, "own", "\x01") + entry(2, "text", "again") + entry(2, "mqb.src.path", "/in.csv") +
                               entry(4, "mqb.src.offset", number(7)) + entry(2, "broken", "\xff");

struct opened_store {
    explicit opened_store(const fs::path& file, letter_limits limits = {}, std::uint64_t max_bytes = 0) {
        auto made = sqlite_dead_letters::open(file, std::move(limits));
        REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().text));
        all = std::move(*made);
        of_route = all->open("orders", max_bytes, side.box, side.log);
    }
    status bury(std::span<const dead_letter> letters, std::string* text = nullptr) {
        return mqb::state::bury(*of_route, side, letters, text);
    }
    route_side side;
    std::unique_ptr<sqlite_dead_letters> all;
    std::unique_ptr<mqb::core::dead_letter_store> of_route;
};

}  // namespace

TEST_CASE("what is known about a message comes back as it was buried") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    const std::string binary{"\x00\xff\n", 3};
    mqb::core::message m;
    for (std::uint8_t i = 0; i < 16; ++i) m.id[i] = static_cast<std::uint8_t>(0xf0 + i);
    m.lane = UINT64_MAX;
    m.delivery_count = 9;
    m.payload = bytes_of(binary);
    m.metadata = bytes_of(every_type);
    mqb::core::failure_note note;
    note.endpoint = "output.middlewares[0]";
    note.error = std::string{"no \xff such\0thing", 15};
    note.attempts = 3;
    note.first_at = 5;
    note.last_at = 1'700'000'000'250'000'000;
    note.may_have_arrived = true;
    const dead_letter one{"orders", death::given_up, &note, &m};
    opened_store store{file};
    CHECK(store.bury({&one, 1}) == status::ok);

    const std::vector<letter> all = stored(file);
    REQUIRE(all.size() == 1);
    CHECK(all[0].id == 1);
    CHECK(all[0].route == "orders");
    CHECK(all[0].endpoint == "output.middlewares[0]");
    CHECK(all[0].why == death::given_up);
    CHECK(all[0].error == "no \xef\xbf\xbd such\xef\xbf\xbdthing");
    CHECK(all[0].attempts == 3);
    CHECK(all[0].first_at == 5);
    CHECK(all[0].last_at == 1'700'000'000'250'000'000);
    CHECK(all[0].may_have_arrived);
    CHECK(all[0].size == 3);
    CHECK(all[0].source == R"({"message_id":"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff","lane":18446744073709551615,"delivery_count":9,)"
                           R"("mqb.src.path":"/in.csv","mqb.src.offset":"7"})");
    const auto content = letter_archive::open(file)->content(1);
    REQUIRE(content.has_value());
    REQUIRE(content->has_value());
    CHECK((*content)->message_id == m.id);
    CHECK((*content)->lane == UINT64_MAX);
    CHECK((*content)->delivery_count == 9);
    CHECK((*content)->payload == binary);
    CHECK((*content)->metadata == every_type);
}

TEST_CASE("a null payload stays null and an empty one empty; a letter without note and metadata is one") {
    scratch_folder in;
    opened_store store{in.path() / "letters.db"};
    mqb::core::message null;
    mqb::core::message empty;
    empty.payload = bytes_of("");
    const dead_letter both[] = {{"orders", death::refused, nullptr, &null}, {"orders", death::max_deliveries, nullptr, &empty}};
    CHECK(store.bury(both) == status::ok);
    auto archive = letter_archive::open(in.path() / "letters.db");
    CHECK((*archive->content(1))->payload == std::nullopt);
    CHECK((*archive->content(2))->payload == std::string{});
    CHECK((*archive->content(2))->metadata == "");
    const auto all = stored(in.path() / "letters.db");
    REQUIRE(all.size() == 2);
    CHECK(all[0].why == death::refused);
    CHECK(all[0].error == "");
    CHECK(all[0].attempts == 0);
    CHECK(all[1].why == death::max_deliveries);
}

TEST_CASE("nothing to bury is done at once, and every answer comes through the mailbox") {
    scratch_folder in;
    opened_store store{in.path() / "letters.db"};
    answered<mqb::core::bury_call> call;
    CHECK(store.of_route->bury(call) == status::ok);
    const test_letters some{1, 2};
    call.letters = some.letters;
    CHECK(store.of_route->bury(call) == status::pending);
    CHECK(call.answers == 0);
    CHECK(call.wait(status::pending, store.side) == status::ok);
    CHECK(call.answers == 1);
    CHECK(call.below == nullptr);
}

TEST_CASE("a burial that is cancelled while another process writes comes back once") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    opened_store store{file};
    auto busy = open_letters(file);
    REQUIRE((*busy)->run("BEGIN IMMEDIATE"));
    const test_letters some{1, 3};
    answered<mqb::core::bury_call> first;
    answered<mqb::core::bury_call> second;
    first.letters = std::span{some.letters}.first(1);
    second.letters = std::span{some.letters}.subspan(1);
    // Whether the first has been begun is the thread's affair: both ends are right, and the second one waits behind it or goes with it.
    CHECK(store.of_route->bury(first) == status::pending);
    CHECK(store.of_route->bury(second) == status::pending);
    store.of_route->cancel(first);
    store.of_route->cancel(second);
    store.of_route->cancel(second);
    REQUIRE((*busy)->run("COMMIT"));
    store.side.wait_until([&] { return first.answers + second.answers == 2; });
    CHECK((first.answer == status::ok || first.answer == status::cancelled));
    CHECK((second.answer == status::ok || second.answer == status::cancelled));
    const std::size_t expected = (first.answer == status::ok ? 1u : 0u) + (second.answer == status::ok ? 2u : 0u);
    CHECK(stored(file).size() == expected);
    store.of_route->cancel(first);
    CHECK_FALSE(store.side.box.has_mail());
}

TEST_CASE("filters meet, and each of them counts") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    opened_store store{file};
    test_letters some{1, 6};
    some.letters[1].why = death::given_up;
    some.letters[2].route = "other";
    some.notes[3].endpoint = "output.middlewares[1]";
    some.notes[4].error = "Connection RESET by peer";
    CHECK(store.bury(std::span{some.letters}.first(2)) == status::ok);
    CHECK(store.bury(std::span{some.letters}.subspan(3)) == status::ok);
    auto other = store.all->open("other", 0, store.side.box, store.side.log);
    CHECK(bury(*other, store.side, std::span{some.letters}.subspan(2, 1)) == status::ok);

    const auto ids = [&](const letter_filter& filter) {
        std::string out;
        for (const letter& l : stored(file, filter)) out += (out.empty() ? "" : " ") + std::to_string(l.id);
        return out;
    };
    CHECK(ids({}) == "1 2 3 4 5 6");
    letter_filter f;
    f.route = "other";
    CHECK(ids(f) == "6");
    f = {};
    f.route = "orders";
    CHECK(ids(f) == "1 2 3 4 5");
    f.why = death::refused;
    CHECK(ids(f) == "1 3 4 5");
    f.endpoint = "output";
    CHECK(ids(f) == "1 4 5");
    f.error = "REFUSED";
    CHECK(ids(f) == "1 5");
    f.ids = {5, 2, 17};
    CHECK(ids(f) == "5");
    f = {};
    f.error = "reset by";
    CHECK(ids(f) == "4");
    f = {};
    f.error = "%";
    CHECK(ids(f) == "");
    f = {};
    f.since = 2004;
    CHECK(ids(f) == "3 4 5");
    f.until = 2006;
    CHECK(ids(f) == "3 4");
    CHECK_FALSE(f.is_open());
    f = {};
    f.limit = 3;
    CHECK(f.is_open());

    auto archive = letter_archive::open(file);
    const auto page = archive->list({}, 2, 3);
    REQUIRE(page->size() == 3);
    CHECK(page->front().id == 3);
    CHECK(page->back().id == 5);
    CHECK(archive->find(4)->value().error == "Connection RESET by peer");
    CHECK(*archive->find(7) == std::nullopt);
    CHECK(*archive->last_id() == 6);
}

TEST_CASE("purging removes what the filter names, up to its limit, and ids are never used again") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    opened_store store{file};
    const test_letters some{1, 2500};
    CHECK(store.bury(some.letters) == status::ok);
    auto archive = letter_archive::open(file);
    letter_filter f;
    f.limit = 1001;
    CHECK(*archive->purge(f) == 1001);
    CHECK(stored(file).front().id == 1002);
    f = {};
    f.error = "refused 25";  // 2500; 25 and 250 to 259 are gone
    CHECK(*archive->purge(f) == 1);
    CHECK(*archive->purge({}) == 1498);
    CHECK(stored(file).empty());
    CHECK(*archive->purge({}) == 0);
    CHECK(store.bury(std::span{some.letters}.first(1)) == status::ok);
    CHECK(stored(file).at(0).id == 2501);
}

TEST_CASE("another attempt counts, moves the time and brings its error, if it has one") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    opened_store store{file};
    CHECK(store.bury(test_letters{1, 3}.letters) == status::ok);
    auto archive = letter_archive::open(file);
    const letter_archive::attempt failed[] = {{1, "still \xff down", 9000}, {2, "", 9001}, {99, "gone", 9002}};
    CHECK(archive->add_attempts(failed).has_value());
    const auto all = stored(file);
    CHECK(all[0].attempts == 2);
    CHECK(all[0].error == "still \xef\xbf\xbd down");
    CHECK(all[0].first_at == 1001);
    CHECK(all[0].last_at == 9000);
    CHECK(all[1].attempts == 2);
    CHECK(all[1].error == "refused 2");
    CHECK(all[1].last_at == 9001);
    CHECK(all[2].attempts == 1);
    const std::int64_t ids[] = {1, 3, 99};
    CHECK(archive->remove(ids).has_value());
    CHECK(stored(file).size() == 1);
    CHECK(stored(file)[0].id == 2);
}

TEST_CASE("secrets are taken out of an error before it is stored") {
    scratch_folder in;
    letter_limits limits;
    limits.clean = [](std::string_view text) {
        std::string out{text};
        if (const auto at = out.find("hunter2"); at != std::string::npos) out.replace(at, 7, "***");
        return out;
    };
    opened_store store{in.path() / "letters.db", limits};
    test_letters some{1, 1};
    some.notes[0].error = "login with hunter2 failed";
    CHECK(store.bury(some.letters) == status::ok);
    CHECK(stored(in.path() / "letters.db")[0].error == "login with *** failed");
}

TEST_CASE("a very long error is cut, and says so") {
    scratch_folder in;
    opened_store store{in.path() / "letters.db"};
    test_letters some{1, 1};
    some.notes[0].error = std::string(16383, 'e') + "\xc3\xa9 and more";
    CHECK(store.bury(some.letters) == status::ok);
    CHECK(stored(in.path() / "letters.db")[0].error == std::string(16383, 'e') + " [cut]");
}

TEST_CASE("the database is for its owner alone") {
    scratch_folder in;
    opened_store store{in.path() / "letters.db"};
    CHECK(store.bury(test_letters{1, 1}.letters) == status::ok);
    for (const char* name : {"letters.db", "letters.db-wal", "letters.db-shm"}) {
        struct stat found {};
        REQUIRE(::stat((in.path() / name).c_str(), &found) == 0);
        CHECK((found.st_mode & 0777) == 0600);
    }
}

TEST_CASE("routes that bury at the same time, listings and a purge beside them: every letter is stored once, in the order of its route") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    constexpr std::uint64_t rounds = 60;
    constexpr std::uint64_t batch = 50;
    auto store = sqlite_dead_letters::open(file);
    REQUIRE(store.has_value());
    const auto write = [&](const char* route) {
        route_side side;
        const auto letters = (*store)->open(route, 0, side.box, side.log);
        std::uint64_t good = 0;
        for (std::uint64_t r = 0; r < rounds; ++r) good += bury(*letters, side, test_letters{1 + r * batch, batch}.letters) == status::ok;
        return good;
    };
    std::uint64_t good[2] = {};
    std::thread first{[&] { good[0] = write("one"); }};
    std::thread second{[&] { good[1] = write("two"); }};
    auto archive = letter_archive::open(file);
    letter_filter purged;
    purged.error = "refused 17";
    std::uint64_t gone = 0;
    std::size_t seen = 0;
    while (seen < rounds * batch) {  // half of all: the writers are at work while this looks
        const auto all = archive->list({}, 0, UINT32_MAX);
        REQUIRE(all.has_value());
        CHECK(all->size() >= seen);
        seen = all->size() + gone;
    }
    const auto some = archive->purge(purged);
    REQUIRE(some.has_value());
    gone += *some;
    first.join();
    second.join();
    CHECK(good[0] == rounds);
    CHECK(good[1] == rounds);
    const auto last = archive->purge(purged);
    REQUIRE(last.has_value());
    gone += *last;
    CHECK(gone == 2 * 111);  // 17, 170 to 179, 1700 to 1799, of each route
    for (const char* route : {"one", "two"}) {
        letter_filter f;
        f.route = route;
        std::uint64_t expected = 0;
        std::uint64_t wrong = 0;
        for (const letter& l : stored(file, f)) {
            do ++expected;
            while (std::to_string(expected).starts_with("17"));
            wrong += l.error != "refused " + std::to_string(expected);
        }
        CHECK(expected == rounds * batch);
        CHECK(wrong == 0);
    }
}

TEST_CASE("two processes that write wait for each other") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    const auto write = [&file](std::uint64_t first) {
        opened_store store{file};
        std::uint64_t good = 0;
        for (std::uint64_t r = 0; r < 30; ++r) good += store.bury(test_letters{first + r * 10, 10}.letters) == status::ok;
        return good;
    };
    child_process other{[&](int) { return write(1'000'000) == 30 ? 0 : 1; }};
    CHECK(write(1) == 30);
    CHECK(other.end() == 0);
    std::map<bool, std::uint64_t> count;
    for (const letter& l : stored(file)) ++count[l.error >= "refused 1000000" && l.error.size() == 15];
    CHECK(count[false] == 300);
    CHECK(count[true] == 300);
}

TEST_CASE("10000 letters in batches of 512") {
    scratch_folder in;
    opened_store store{in.path() / "letters.db", {}, std::uint64_t{1} << 30};
    const test_letters all{1, 10'000};
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < 10'000; at += 512)
        REQUIRE(store.bury(std::span{all.letters}.subspan(at, std::min<std::size_t>(512, 10'000 - at))) == status::ok);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    CHECK(stored(in.path() / "letters.db").size() == 10'000);
    MESSAGE(static_cast<std::uint64_t>(10'000 / took.count()), " letters/s");
}
