#include "place_table.hpp"
#include "small_file.hpp"

#include <mqb/sdk/status.hpp>

#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;

namespace {

struct opened : input_file {
    explicit opened(const std::string& path) : input_file(path) {
        open(true);
        go_to(size());
    }
};

std::optional<std::uint64_t> place(const scratch& dir, const std::string& name, std::string* note = nullptr) {
    place_table table(dir / ".g.offsets");
    const std::string damaged = table.open();
    if (note != nullptr) *note = damaged;
    bool is_other = false;
    const std::optional<saved_place> found = table.place_of(opened(dir / name.c_str()), is_other);
    return found ? std::optional(found->place) : std::nullopt;
}

}  // namespace

TEST_CASE("places of many files are kept, whatever the names") {
    scratch dir;
    const std::string names[]{"a", "b c", "%41", "line\nfeed", "\xc3\xa4\xff"};
    {
        place_table table(dir / ".g.offsets");
        CHECK(table.open() == "");
        CHECK(table.size() == 0);
        for (const std::string& name : names) {
            write_file(dir / name.c_str(), "0123456789");
            const opened file(dir / name.c_str());
            for (std::uint64_t to = 1; to <= 7; ++to) CHECK(table.save(file, to));
        }
        place_table second(dir / ".g.offsets");
        CHECK_THROWS_AS(second.open(), mqb::sdk::failure);
    }
    for (const std::string& name : names) CHECK(place(dir, name) == 7);
    write_file(dir / "new", "x");
    CHECK_FALSE(place(dir, "new"));
    // A file is known by what it is and, when it was copied, by name and content.
    std::filesystem::rename(dir / "a", dir / "renamed");
    CHECK(place(dir, "renamed") == 7);
    std::filesystem::copy_file(dir / "b c", dir / "copy");
    CHECK_FALSE(place(dir, "copy"));
    std::filesystem::rename(dir / "copy", dir / "b c");
    CHECK_FALSE(place(dir, "b c"));  // a new one with the same bytes
    {
        place_table table(dir / ".g.offsets");
        table.open();
        bool is_other = true;
        table.expect_copies({dir / "b c"}, [](const file_identity&, const saved_place&) { return std::string(); });
        const auto found = table.place_of(opened(dir / "b c"), is_other);
        CHECK((found && found->place == 7));
        CHECK_FALSE(is_other);
    }
    write_file(dir / "%41", "other 6789");
    CHECK_FALSE(place(dir, "%41"));
}

TEST_CASE("a journal that is cut or damaged costs the newest place of one file at most") {
    scratch dir;
    write_file(dir / "a", "0123456789");
    {
        place_table table(dir / ".g.offsets");
        table.open();
        const opened file(dir / "a");
        for (std::uint64_t to = 1; to <= 3; ++to) table.save(file, to);
    }
    const std::string whole = read_file(dir / ".g.offsets");
    const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t size = last; size < whole.size(); ++size) {
        write_file(dir / ".g.offsets", whole.substr(0, size));
        std::string note;
        CHECK(place(dir, "a", &note) == 2);
        CHECK(note == "");
    }
    for (std::size_t at = last; at + 1 < whole.size(); ++at) {
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ 1);
        write_file(dir / ".g.offsets", flipped);
        std::string note;
        CHECK(place(dir, "a", &note) == 2);
        CHECK(note.starts_with("1 lines of '" + (dir / ".g.offsets") + "' are damaged"));
    }
    for (const std::string bad : {"", "\n\n", "2 of a newer version\n", "1 \n", "1  \n"}) {
        write_file(dir / ".g.offsets", bad);
        CHECK_FALSE(place(dir, "a"));
    }
}

TEST_CASE("a journal of before, without the birth of its files, is taken, and a file of another birth is none of it") {
    scratch dir;
    write_file(dir / "a", "0123456789");
    {
        place_table table(dir / ".g.offsets");
        table.open();
        CHECK(table.save(opened(dir / "a"), 3));
    }
    const std::string now = read_file(dir / ".g.offsets");
    std::vector<std::string> words;
    for (std::size_t at = now.rfind('\n', now.size() - 2) + 1, end; (end = now.find_first_of(" \n", at)) != now.npos; at = end + 1)
        words.push_back(now.substr(at, end - at));
    REQUIRE(words.size() == 11);
    const auto write = [&](const std::string& version, const std::string& born) {
        std::string line = version + " ";
        for (std::size_t i = 1; i < 10; ++i) line += i == 4 ? born : words[i] + " ";
        write_file(dir / ".g.offsets", line + std::to_string(checksum(line)) + "\n");
    };
    for (const std::string& born : {words[4] + " ", std::string("0 ")}) {
        write("2", born);
        CHECK(place(dir, "a") == 3);
    }
    write("1", "");
    CHECK(place(dir, "a") == 3);
    write("2", "12345 ");
    CHECK((place(dir, "a") == std::nullopt || words[4] == "0"));
}

TEST_CASE("the journal does not grow without end") {
    scratch dir;
    write_file(dir / "a", std::string(5000, 'x'));
    place_table table(dir / ".g.offsets");
    table.open();
    const opened file(dir / "a");
    std::uintmax_t most = 0;
    for (std::uint64_t to = 1; to <= 3000; ++to) {
        REQUIRE(table.save(file, to));
        most = std::max(most, std::filesystem::file_size(dir / ".g.offsets"));
    }
    CHECK(most < 200'000);
}

TEST_CASE("a journal that could not be written at first has all its places later") {
    scratch dir;
    write_file(dir / "a", "0123456789");
    const opened file(dir / "a");
    {
        place_table table(dir / ".g.offsets");
        table.open();
        CHECK(table.save(file, 3));
    }
    {
        place_table table(dir / ".g.offsets");
        std::filesystem::create_directory(dir / ".g.offsets.tmp");  // in the way of the new journal
        CHECK_THROWS_AS(table.open(), mqb::sdk::failure);
        CHECK(table.size() == 0);
        CHECK_THROWS_AS(table.open(), mqb::sdk::failure);
        std::filesystem::remove(dir / ".g.offsets.tmp");
        CHECK(table.open() == "");
        CHECK(table.size() == 1);
        const file_size_limit limit(std::filesystem::file_size(dir / ".g.offsets") + 1);
        CHECK_THROWS_AS(table.save(file, 4), mqb::sdk::failure);
    }
    CHECK(place(dir, "a") == 3);
}
