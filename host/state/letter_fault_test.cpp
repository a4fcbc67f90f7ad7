// letter_fault_test: what the store answers when it cannot store.
#include "host/state/letter_tables.hpp"
#include "host/state/sqlite_dead_letters.hpp"
#include "host/state/state_test.hpp"

#include <signal.h>
#include <unistd.h>
#include <fstream>
#include <random>

using namespace mqb::state;
using mqb::core::dead_letter;
using mqb::core::status;
namespace fs = std::filesystem;

namespace {

std::string fault_of(const fs::path& file) {
    auto opened = sqlite_dead_letters::open(file);
    return opened ? std::string{} : opened.error().text;
}

void write_at(const fs::path& file, std::streamoff at, const std::string& bytes) {
    std::fstream out{file, std::ios::binary | std::ios::in | std::ios::out};
    out.seekp(at);
    out << bytes << std::flush;
    REQUIRE(out);
}

// A database with so many letters, closed: nothing of it is in the journal.
void make_filled(const fs::path& file, std::uint64_t count) {
    auto store = sqlite_dead_letters::open(file);
    REQUIRE(store.has_value());
    route_side side;
    REQUIRE(bury(*(*store)->open("orders", 0, side.box, side.log), side, test_letters{1, count}.letters) == status::ok);
}

constexpr const char* damaged =
    ": is damaged or no database: move it away and a new one is made; `sqlite3 FILE .recover` shows what can be saved";

}  // namespace

TEST_CASE("a route at its bound stores nothing more, says what to do, and goes on after a purge") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    auto store = sqlite_dead_letters::open(file);
    REQUIRE(store.has_value());
    route_side side;
    // "payload N" and "refused N" of one digit: 18 bytes, and 256 for the columns.
    const auto bounded = (*store)->open("orders", 10 * 274, side.box, side.log);
    const auto other = (*store)->open("other", 0, side.box, side.log);
    std::string text;
    CHECK(bury(*bounded, side, test_letters{1, 8}.letters, &text) == status::ok);
    CHECK(text == "");
    CHECK(side.log.lines.empty());
    CHECK(bury(*bounded, side, test_letters{1, 1}.letters) == status::ok);
    CHECK(side.log.lines == std::vector<std::string>{"orders: its dead letters have taken four fifths of dead_letters.max_bytes"});
    CHECK(bury(*bounded, side, test_letters{1, 2}.letters, &text) == status::retry);
    CHECK(
        text ==
        "the dead letters of route \"orders\" have reached dead_letters.max_bytes (2466 bytes of 2740 bytes are taken, 548 bytes more are "
        "needed): replay or purge some, or raise the bound");
    CHECK(stored(file).size() == 9);
    CHECK(bury(*bounded, side, test_letters{9, 1}.letters) == status::ok);
    CHECK(bury(*bounded, side, test_letters{1, 1}.letters) == status::retry);
    CHECK(side.log.lines.size() == 1);
    test_letters more{1, 5};
    CHECK(bury(*other, side, more.letters) == status::ok);
    letter_filter two;
    two.limit = 2;
    CHECK(*letter_archive::open(file)->purge(two) == 2);
    CHECK(bury(*bounded, side, test_letters{1, 2}.letters) == status::ok);
    CHECK(bury(*bounded, side, test_letters{1, 1}.letters) == status::retry);
    CHECK(stored(file).size() == 15);
}

TEST_CASE("a store reopened with a bound counts what it holds already") {
    scratch_folder in;
    make_filled(in.path() / "letters.db", 9);
    auto store = sqlite_dead_letters::open(in.path() / "letters.db");
    route_side side;
    const auto bounded = (*store)->open("orders", 10 * 274, side.box, side.log);
    CHECK(bury(*bounded, side, test_letters{1, 1}.letters) == status::ok);
    CHECK(bury(*bounded, side, test_letters{1, 1}.letters) == status::retry);
}

TEST_CASE("a file that is no database, one that is cut or overwritten, is named and left alone") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    std::ofstream{file} << std::string(5000, 'x');
    CHECK(fault_of(file) == file.string() + damaged);
    CHECK(fs::file_size(file) == 5000);
    CHECK(letter_archive::open(file).error().text == file.string() + damaged);

    fs::remove(file);
    make_filled(file, 500);
    const auto size = fs::file_size(file);
    write_at(file, 0, std::string(100, '\xee'));
    CHECK(fault_of(file) == file.string() + damaged);
    CHECK(fs::file_size(file) == size);
}

TEST_CASE("damage that shows only while letters are buried answers retry, and a new file is made when the damaged one is moved away") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    make_filled(file, 500);
    auto store = sqlite_dead_letters::open(file);
    REQUIRE(store.has_value());
    for (std::streamoff at = 4096; at < static_cast<std::streamoff>(fs::file_size(file)); at += 4096)
        write_at(file, at, std::string(4096, '\xee'));
    route_side side;
    const auto letters = (*store)->open("orders", 0, side.box, side.log);
    std::string text;
    for (int i = 0; i < 2; ++i) {
        CHECK(bury(*letters, side, test_letters{1, 5}.letters, &text) == status::retry);
        CHECK(text == file.string() + damaged);
    }
    CHECK_FALSE(letter_archive::open(file)->list({}, 0, 10).has_value());
    CHECK_FALSE(letter_archive::open(file)->purge({}).has_value());
    for (const char* tail : {"", "-wal", "-shm"})
        if (fs::exists(file.string() + tail)) fs::rename(file.string() + tail, (in.path() / "moved").string() + tail);
    CHECK(bury(*letters, side, test_letters{1, 5}.letters, &text) == status::ok);
    CHECK(stored(file).size() == 5);
}

TEST_CASE("a database that is deleted while it is in use takes no letter with it") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    auto store = sqlite_dead_letters::open(file);
    REQUIRE(store.has_value());
    route_side side;
    const auto letters = (*store)->open("orders", 0, side.box, side.log);
    CHECK(bury(*letters, side, test_letters{1, 5}.letters) == status::ok);
    for (const char* tail : {"", "-wal", "-shm"}) fs::remove(file.string() + tail);
    CHECK(bury(*letters, side, test_letters{6, 2}.letters) == status::ok);
    CHECK(stored(file).size() == 2);
    fs::rename(in.path(), in.path().string() + ".gone");
    std::string text;
    CHECK(bury(*letters, side, test_letters{8, 2}.letters, &text) == status::retry);
    CHECK(text == file.string() + ": cannot be made: No such file or directory");
    fs::rename(in.path().string() + ".gone", in.path());
    CHECK(bury(*letters, side, test_letters{8, 2}.letters) == status::ok);
    CHECK(stored(file).size() == 4);
}

TEST_CASE("another version and another program's database are refused") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    make_filled(file, 1);
    REQUIRE((*database::open(file, {}))->run("PRAGMA user_version = 3"));
    CHECK(fault_of(file) == file.string() + ": was written by a later mqbridge: it has version 3, and this program knows version 1");
    REQUIRE((*database::open(file, {}))->run("PRAGMA user_version = 0"));
    CHECK(fault_of(file) == file.string() + ": has version 0, and this program knows version 1");
    const fs::path other = in.path() / "other.db";
    std::ofstream{other};
    REQUIRE((*database::open(other, {}))->run("CREATE TABLE theirs (x)"));
    CHECK(fault_of(other) == other.string() + ": is a database of another program: move it away and a new one is made");
}

TEST_CASE("a process that writes and does not end makes the others answer retry") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    letter_limits limits;
    limits.patience = std::chrono::milliseconds{1};
    auto store = sqlite_dead_letters::open(file, limits);
    REQUIRE(store.has_value());
    route_side side;
    const auto letters = (*store)->open("orders", 0, side.box, side.log);
    auto busy = open_letters(file);
    REQUIRE((*busy)->run("BEGIN IMMEDIATE"));
    std::string text;
    CHECK(bury(*letters, side, test_letters{1, 2}.letters, &text) == status::retry);
    CHECK(text == file.string() + ": another process writes to it and does not end");
    REQUIRE((*busy)->run("ROLLBACK"));
    CHECK(bury(*letters, side, test_letters{1, 2}.letters) == status::ok);
    CHECK(stored(file).size() == 2);
}

TEST_CASE("room that has to stay free is not used for letters") {
    scratch_folder in;
    const std::string said = with_small_disk(in.path(), 4 << 20, [&] {
        route_side side;
        letter_limits limits;
        auto store = sqlite_dead_letters::open(in.path() / "letters.db", limits);
        if (!store) return store.error().text;
        const auto letters = (*store)->open("orders", 0, side.box, side.log);
        std::string text;
        test_letters one{1, 1};
        one.payloads[0].assign(2 << 20, 'p');
        one.messages[0].payload = bytes_of(one.payloads[0]);
        const status big = bury(*letters, side, one.letters, &text);
        const status small = bury(*letters, side, test_letters{1, 1}.letters);
        return std::string{to_text(big)} + ", " + std::string{to_text(small)} + ": " + text;
    });
    if (said.empty()) return;
    const std::string begin =
        "retry, ok: " + (in.path() / "letters.db").string() + ": the file system has no room for 2097417 bytes of dead letters (";
    CHECK(said.substr(0, begin.size()) == begin);
    CHECK(said.ends_with(" bytes beyond what stays free): make room there, or purge dead letters"));
}

TEST_CASE("a full file system stores nothing of a batch, and all of it once there is room") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    const std::string said = with_small_disk(in.path(), 1 << 20, [&] {
        route_side side;
        letter_limits limits;
        limits.keep_free = 0;
        auto store = sqlite_dead_letters::open(file, limits);
        if (!store) return store.error().text;
        const auto letters = (*store)->open("orders", 0, side.box, side.log);
        std::string out{to_text(bury(*letters, side, test_letters{1, 3}.letters))};
        // Another program takes the room between the look at it and the write: a bound that says there is more stands in for it.
        std::ofstream{in.path() / "fill"} << std::string(2 << 20, 'x');
        auto direct = open_letters(file);
        if (!direct) return out + " then " + direct.error().text;
        const bool is_written = (*direct)->run("BEGIN IMMEDIATE; UPDATE letters SET payload = zeroblob(200000); COMMIT");
        out += is_written ? " written" : "; " + (*direct)->fault().text;
        (*direct)->roll_back();
        std::string text;
        out += "; " + std::string{to_text(bury(*letters, side, test_letters{4, 40}.letters, &text))};
        fs::remove(in.path() / "fill");
        out += "; " + std::string{to_text(bury(*letters, side, test_letters{4, 40}.letters, &text))};
        const auto all = letter_archive::open(file)->list({}, 0, 1000);
        return out + "; " + (all ? std::to_string(all->size()) : all.error().text);
    });
    if (said.empty()) return;
    CHECK(said == "ok; " + file.string() + ": the file system is full: make room there, or purge dead letters; retry; ok; 43");
}

TEST_CASE("a purge on a disk without room takes its steps as small as they have to be, and gives the room back") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    for (const bool beside_a_host : {true, false}) {
        CAPTURE(beside_a_host);
        const std::string said = with_small_disk(in.path(), 16 << 20, [&] {
            route_side side;
            auto store = sqlite_dead_letters::open(file);
            if (!store) return store.error().text;
            test_letters hundred{1, 100};
            for (std::size_t i = 0; i < 100; ++i) {
                hundred.payloads[i].assign(i == 0 ? 600'000 : i % 2 == 0 ? 100'000 : 3'000, 'p');
                hundred.messages[i].payload = bytes_of(hundred.payloads[i]);
            }
            {
                const auto letters = (*store)->open("orders", 0, side.box, side.log);
                std::size_t stored_bytes = 0;
                for (std::size_t i = 0; i < 100; ++i) {
                    if (bury(*letters, side, std::span{hundred.letters}.subspan(i, 1)) != status::ok)
                        return "no room for " + std::to_string(i);
                    stored_bytes += hundred.payloads[i].size();
                    if (fs::file_size(file) < stored_bytes) return std::string{"what is in the journal has no room in the file"};
                }
            }
            if (!beside_a_host) store->reset();
            // Another program takes nearly all that is left.
            const auto room = fs::space(in.path()).available;
            std::ofstream{in.path() / "fill"} << std::string(room - 300'000, 'x');
            if (fs::space(in.path()).available > 310'000) return std::string{"the disk is not full"};
            auto archive = letter_archive::open(file);
            if (!archive) return archive.error().text;
            letter_filter half;
            half.limit = 50;
            std::string out;
            for (const letter_filter& which : {half, letter_filter{}}) {
                const auto purged = archive->purge(which);
                out += (purged ? std::to_string(*purged) : purged.error().text) + " purged";
                out += fs::file_size(file) < (which.limit == 0 ? 100'000u : 3'200'000u) ? ", smaller; " : ", as large; ";
            }
            return out + (fs::space(in.path()).available > 5'000'000 ? "room" : "no room");
        });
        if (said.empty()) return;
        CHECK(said == "50 purged, smaller; 50 purged, smaller; room");
    }
}

TEST_CASE("what was removed from the file is room for the next letters, also on a disk that has none beyond what stays free") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    const std::string said = with_small_disk(in.path(), 16 << 20, [&] {
        route_side side;
        auto store = sqlite_dead_letters::open(file);
        if (!store) return store.error().text;
        const auto letters = (*store)->open("orders", 0, side.box, side.log);
        test_letters one{1, 1};
        one.payloads[0].assign(100'000, 'p');
        one.messages[0].payload = bytes_of(one.payloads[0]);
        std::string text;
        std::size_t count = 0;
        while (bury(*letters, side, one.letters, &text) == status::ok) ++count;
        const auto room = fs::space(in.path()).available;
        std::ofstream{in.path() / "fill"} << std::string(room - 500'000, 'x');
        if (bury(*letters, side, one.letters, &text) == status::ok) return std::string{"room for one more"};
        const std::vector<std::int64_t> first{1, 2, 3};
        if (!letter_archive::open(file)->remove(first)) return std::string{"not removed"};
        std::size_t again = 0;
        while (bury(*letters, side, one.letters, &text) == status::ok) ++again;
        return std::to_string(count > 20) + ' ' + std::to_string(again) + ' ' + std::to_string(stored(file).size() == count - 3 + again) +
               text.substr(text.find(": the file system has no room"), 29);
    });
    if (said.empty()) return;
    CHECK((said == "1 2 1: the file system has no room" || said == "1 3 1: the file system has no room"));
}

TEST_CASE("a read-only file system and a read-only file are named") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    const std::string said = with_small_disk(in.path(), 1 << 20, [&] {
        std::string out;
        {
            auto store = sqlite_dead_letters::open(file);
            if (!store) return store.error().text;
        }
        if (!make_read_only(in.path())) return std::string{"not read-only"};
        return fault_of(file) + '\n' + fault_of(in.path() / "new.db");
    });
    if (!said.empty())
        CHECK(said == file.string() + ": cannot be written: the file system is read-only\n" + (in.path() / "new.db").string() +
                          ": cannot be made: Read-only file system");
    make_filled(file, 1);
    fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(in.path(), fs::perms::all);
    const std::string of_nobody = as_nobody(in.path(), [&] {
        route_side side;
        auto store = sqlite_dead_letters::open(file);
        if (!store) return store.error().text;
        std::string text;
        (void)bury(*(*store)->open("orders", 0, side.box, side.log), side, test_letters{1, 1}.letters, &text);
        return text;
    });
    CHECK(of_nobody == file.string() + ": cannot be written: it is read-only");
}

TEST_CASE("what was answered with ok is there after the process is killed at once") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    for (std::uint64_t round = 0; round < 5; ++round) {
        child_process child{[&](int) {
            auto store = sqlite_dead_letters::open(file);
            if (!store) return 1;
            route_side side;
            const auto letters = (*store)->open("orders", 0, side.box, side.log);
            if (bury(*letters, side, test_letters{round * 7, 7}.letters) != status::ok) return 2;
            ::kill(::getpid(), SIGKILL);
            return 3;
        }};
        REQUIRE(child.end() == -SIGKILL);
        const auto all = stored(file);
        REQUIRE(all.size() == 7 * (round + 1));
        CHECK(all.back().error == "refused " + std::to_string(7 * round + 6));
    }
}

TEST_CASE("a process killed in the middle of a batch leaves all of it or nothing, and a database that works") {
    scratch_folder in;
    const fs::path file = in.path() / "letters.db";
    constexpr std::uint64_t batch = 100;
    std::minstd_rand random{42};
    std::uint64_t known = 0;
    for (int round = 0; round < 10; ++round) {
        child_process child{[&](int to) {
            auto store = sqlite_dead_letters::open(file);
            if (!store) return 1;
            route_side side;
            const auto letters = (*store)->open("orders", 0, side.box, side.log);
            for (std::uint64_t n = known; bury(*letters, side, test_letters{n, batch}.letters) == status::ok; n += batch)
                if (::write(to, ".\n", 2) != 2) return 2;
            return 3;
        }};
        std::uint64_t answered = 0;
        for (const std::uint64_t enough = random() % 8; answered < enough; ++answered) REQUIRE(child.line() == ".");
        child.kill();
        for (const char c : child.rest()) answered += c == '.';
        REQUIRE(child.end() == -SIGKILL);
        CHECK(*(*open_letters(file))->number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0);
        const auto all = stored(file);
        CHECK(all.size() % batch == 0);
        CHECK(all.size() >= known + answered * batch);
        CHECK(all.size() <= known + (answered + 1) * batch);
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < all.size(); ++i) wrong += all[i].error != "refused " + std::to_string(i);
        CHECK(wrong == 0);
        known = all.size();
        CHECK(*(*open_letters(file))->number("SELECT letters FROM totals") == static_cast<std::int64_t>(known));
    }
    make_filled(file, 1);
    CHECK(stored(file).size() == known + 1);
}
