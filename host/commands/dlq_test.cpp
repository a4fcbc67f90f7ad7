#include "host/commands/dlq.hpp"

#include "host/commands/dlq_selection.hpp"
#include "host/commands/dlq_text.hpp"
#include "host/commands/state_option.hpp"
#include "host/state/letter_tables.hpp"
#include "host/state/sqlite_dead_letters.hpp"
#include "host/state/state_directory.hpp"
#include "host/state/state_test.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace mqb::host;
using namespace mqb::state;
namespace fs = std::filesystem;

namespace {

// What a command said on both streams, and its exit code.
struct said {
    template <class Work>
    explicit said(Work work) {
        std::streambuf* out_before = std::cout.rdbuf(out_.rdbuf());
        std::streambuf* error_before = std::cerr.rdbuf(error_.rdbuf());
        code = work();
        std::cout.rdbuf(out_before);
        std::cerr.rdbuf(error_before);
        out = out_.str();
        error = error_.str();
    }
    int code;
    std::string out;
    std::string error;

private:
    std::ostringstream out_;
    std::ostringstream error_;
};

struct state_with_letters {
    explicit state_with_letters(std::uint64_t count) : letters(1, count) {
        auto opened = state_directory::open(folder.path());
        REQUIRE(opened.has_value());
        host.emplace(std::move(*opened));
        place.state_dir = folder.path().string();
    }
    void bury() {
        auto store = sqlite_dead_letters::open(host->letters_file());
        REQUIRE(store.has_value());
        route_side side;
        REQUIRE(mqb::state::bury(*(*store)->open("orders", 0, side.box, side.log), side, letters.letters) == mqb::core::status::ok);
    }
    scratch_folder folder;
    std::optional<state_directory> host;  // locked meanwhile, as by a host that runs
    test_letters letters;
    dlq_place place;
};

const std::string head_1 =
    R"({"id":1,"route":"orders","endpoint":"output","class":"refused","error":"refused 1","attempts":1,"first_at":"1970-01-01T00:00:00.000001001Z",)"
    R"("last_at":"1970-01-01T00:00:00.000002001Z","source":{"message_id":"00000000000000000000000000000001","lane":1,"delivery_count":0},"size":9)";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) text.replace(at, what.size(), with);
    return text;
}

}  // namespace

TEST_CASE("dlq list --json prints the letters that the filter names") {
    state_with_letters in{3};
    in.bury();
    dlq_list_options options{in.place, {}, true};
    options.which.error = "refused 1";
    said one{[&] { return dlq_list(options); }};
    CHECK(one.code == 0);
    CHECK(one.error == "");
    CHECK(one.out == "[\n" + head_1 + "}\n]\n");
    options.which = {};
    options.which.limit = 2;
    std::string head_2 = replaced(replaced(head_1, "\"id\":1", "\"id\":2"), "refused 1", "refused 2");
    head_2 = replaced(replaced(replaced(head_2, "001Z", "002Z"), "0001\"", "0002\""), "\"lane\":1", "\"lane\":2");
    CHECK(said{[&] { return dlq_list(options); }}.out == "[\n" + head_1 + "},\n" + head_2 + "}\n]\n");
    options.which = {};
    options.which.route = "none";
    CHECK(said{[&] { return dlq_list(options); }}.out == "[]\n");
}

TEST_CASE("dlq list prints a table for people, harmless to a terminal") {
    state_with_letters in{2};
    in.letters.notes[1].error = "h\xc3\xa9llo \x1b[2J\nthere";
    in.letters.letters[1].why = mqb::core::death::max_deliveries;
    in.letters.notes[0].last_at = in.letters.notes[1].last_at = wall_ns() - 3 * 86'400'000'000'000ull - 1'000'000'000;
    in.bury();
    const said all{[&] { return dlq_list({in.place, {}, false}); }};
    CHECK(all.code == 0);
    CHECK(all.out ==
          "ID  ROUTE   ENDPOINT  CLASS           ATTEMPTS  AGE  SIZE  ERROR\n"
          "1   orders  output    refused         1         3d   9 B   refused 1\n"
          "2   orders  output    max_deliveries  1         3d   9 B   h\xc3\xa9llo \\x1b[2J\\nthere\n");
    dlq_list_options none{in.place, {}, false};
    none.which.route = "none";
    CHECK(said{[&] { return dlq_list(none); }}.out == "no dead letters\n");
}

TEST_CASE("a table is coloured and cut where the terminal has it so") {
    letter l;
    l.id = 1;
    l.route = "r";
    l.endpoint = "output";
    l.error = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac";
    std::ostringstream out;
    letter_table table{out, {true, 53}, [](std::string_view t) { return std::string{t}; }, 5'000'000'000};
    table.add({l});
    CHECK(out.str() ==
          "ID  ROUTE  ENDPOINT  CLASS    ATTEMPTS  AGE  SIZE  ER\n"
          "1   r      output    \x1b[31mrefused\x1b[0m  0         5s   0 B   \xe2\x82\xac\xe2\x82\xac\n");
}

TEST_CASE("a listing that is longer than a page has every letter once") {
    state_with_letters in{2345};
    in.bury();
    const said all{[&] { return dlq_list({in.place, {}, true}); }};
    std::size_t count = 0;
    std::size_t at = 0;
    while ((at = all.out.find("{\"id\":" + std::to_string(count + 1) + ',', at)) != std::string::npos) ++count;
    CHECK(count == 2345);
    CHECK(std::count(all.out.begin(), all.out.end(), '\n') == 2347);
}

TEST_CASE("secrets of a route file are taken out of what is listed and shown, but not out of the payload") {
    state_with_letters in{1};
    in.letters.notes[0].error = "no login with S3cr3t%21+x there";
    in.letters.payloads[0] = "S3cr3t%21+x";
    in.letters.messages[0].payload = bytes_of(in.letters.payloads[0]);
    in.bury();
    in.place.secrets = {"S3cr3t%21+x"};
    for (const bool json : {false, true}) {
        const said listed{[&] { return dlq_list({in.place, {}, json}); }};
        CHECK(listed.out.find("S3cr3t") == std::string::npos);
        CHECK(listed.out.find("no login with *** there") != std::string::npos);
    }
    const said shown{[&] { return dlq_show({in.place, 1, true}); }};
    CHECK(shown.out.find("S3cr3t") == std::string::npos);
    CHECK(shown.out.find(R"("payload_base64":"UzNjcjN0JTIxK3g=")") != std::string::npos);
}

TEST_CASE("dlq show gives all of a letter, and says when there is none") {
    state_with_letters in{2};
    const std::string metadata{"\x02\0\x03\0\x05\0\0\0keyvalue\x04\0\x01\0\x08\0\0\0n\x07\0\0\0\0\0\0\0", 33};
    in.letters.messages[0].metadata = bytes_of(metadata);
    in.letters.notes[0].may_have_arrived = true;
    in.letters.messages[1].payload = {};
    in.bury();
    const said json{[&] { return dlq_show({in.place, 1, true}); }};
    CHECK(json.code == 0);
    CHECK(json.out ==
          head_1 +
              R"(,"may_have_arrived":true,"payload_base64":"cGF5bG9hZCAx","metadata":[{"key":"key","type":"text","value":"value"},)"
              R"({"key":"n","type":"int64","value":7}]})" +
              "\n");
    const said human{[&] { return dlq_show({in.place, 1, false}); }};
    const std::string days = human.out.substr(human.out.find('(') + 1, human.out.find(" ago)") - human.out.find('(') - 1);
    CHECK(human.out ==
          "dead letter 1\n  route     orders\n  endpoint  output\n  class     refused\n  error     refused 1\n"
          "  attempts  1, the first at 1970-01-01T00:00:00.000001001Z, the last at 1970-01-01T00:00:00.000002001Z (" +
              days +
              " ago)\n"
              "  arrived   perhaps: an attempt ended without an answer\n"
              "  source    {\"message_id\":\"00000000000000000000000000000001\",\"lane\":1,\"delivery_count\":0}\n"
              "  metadata  key (text): value\n            n (int64): 7\n  payload   9 B:\npayload 1\n");
    CHECK(said{[&] { return dlq_show({in.place, 2, false}); }}.out.ends_with("  payload   null\n"));
    const said none{[&] { return dlq_show({in.place, 3, true}); }};
    CHECK(none.code == 1);
    CHECK(none.out == "");
    CHECK(none.error == "mqbridge dlq: there is no dead letter 3\n");
}

TEST_CASE("binary payloads are shown in base64, and long ones cut") {
    const auto shown = [](const std::string& payload) {
        letter_content content;
        content.payload = payload;
        std::ostringstream out;
        print_letter(
            out, {}, content, [](std::string_view t) { return std::string{t}; }, 0);
        return out.str().substr(out.str().find("  payload"));
    };
    CHECK(shown("") == "  payload   0 B\n");
    CHECK(shown("\x01\xff") == "  payload   2 B, in base64:\nAf8=\n");
    CHECK(shown("a\tb\n\x07") == "  payload   5 B:\na\tb\n\\x07\n");
    CHECK(shown(std::string(4097, 'a')) == "  payload   4.0 KiB:\n" + std::string(4096, 'a') + "\n[cut; --json gives all of it]\n");
}

TEST_CASE("dlq purge needs a filter or --all, and says how many it took") {
    state_with_letters in{12};
    in.bury();
    dlq_purge_options options{in.place, {}, false, false};
    options.which.limit = 3;
    const said nothing{[&] { return dlq_purge(options); }};
    CHECK(nothing.code == 2);
    CHECK(nothing.error == "mqbridge dlq: purge: say which letters with a filter, or --all\n");
    options.all = true;
    CHECK(said{[&] { return dlq_purge(options); }}.out == "3 dead letters purged\n");
    options = {in.place, {}, false, true};
    options.which.ids = {5, 99};
    CHECK(said{[&] { return dlq_purge(options); }}.out == "{\"purged\":1}\n");
    options.which = {};
    options.which.error = "refused 1";
    options.json = false;
    CHECK(said{[&] { return dlq_purge(options); }}.out == "3 dead letters purged\n");  // 10, 11, 12
    CHECK(stored(in.host->letters_file()).size() == 5);
    options = {in.place, {}, true, false};
    CHECK(said{[&] { return dlq_purge(options); }}.out == "5 dead letters purged\n");
    CHECK(stored(in.host->letters_file()).empty());
}

TEST_CASE("a state directory without letters has none; one that is not there is an error") {
    state_with_letters in{1};
    CHECK(said{[&] { return dlq_list({in.place, {}, true}); }}.out == "[]\n");
    CHECK(said{[&] { return dlq_list({in.place, {}, false}); }}.out == "no dead letters\n");
    CHECK(said{[&] { return dlq_purge({in.place, {}, true, false}); }}.out == "0 dead letters purged\n");
    CHECK(said{[&] { return dlq_show({in.place, 1, false}); }}.code == 1);
    CHECK_FALSE(fs::exists(in.host->letters_file()));
    in.place.state_dir += "/none";
    const said missing{[&] { return dlq_list({in.place, {}, true}); }};
    CHECK(missing.code == 1);
    CHECK(missing.out == "");
    CHECK(missing.error == "mqbridge dlq: state directory " + in.place.state_dir + ": does not exist: no mqbridge has run with it\n");
}

TEST_CASE("a damaged store is named by each command") {
    state_with_letters in{1};
    std::ofstream{in.host->letters_file()} << std::string(5000, 'x');
    const std::string text =
        "mqbridge dlq: " + in.host->letters_file().string() +
        ": is damaged or no database: move it away and a new one is made; `sqlite3 FILE .recover` shows what can be saved\n";
    const said results[] = {said{[&] {
                                return dlq_list({in.place, {}, false});
                            }},
                            said{[&] {
                                return dlq_show({in.place, 1, false});
                            }},
                            said{[&] {
                                return dlq_purge({in.place, {}, true, false});
                            }}};
    for (const said& one : results) {
        CHECK(one.code == 1);
        CHECK(one.error == text);
    }
}

TEST_CASE("a filter that cannot be read is a fault of the command line") {
    state_with_letters in{1};
    dlq_list_options options{in.place, {}, false};
    options.which.why = "dead";
    const said wrong{[&] { return dlq_list(options); }};
    CHECK(wrong.code == 2);
    CHECK(wrong.error == "mqbridge dlq: --class dead: is refused, exhausted or max_deliveries\n");
    options.which.why = "exhausted";
    options.which.until = "yesterday";
    CHECK(said{[&] { return dlq_list(options); }}.error ==
          "mqbridge dlq: --until yesterday: is a time as 2h, 7d or 2026-01-31T12:00:00Z\n");
}

TEST_CASE("moments are read as ages and as dates") {
    constexpr std::uint64_t s = 1'000'000'000;
    constexpr std::uint64_t now = 1'700'000'000 * s;
    CHECK(read_moment("90s", now) == now - 90 * s);
    CHECK(read_moment("15m", now) == now - 900 * s);
    CHECK(read_moment("2h", now) == now - 7200 * s);
    CHECK(read_moment("7d", now) == now - 604'800 * s);
    CHECK(read_moment("2023-11-14", now) == 1'699'920'000 * s);
    CHECK(read_moment("2023-11-14T22:13:20Z", now) == now);
    CHECK(read_moment("2023-11-14 22:13", now) == now - 20 * s);
    CHECK(read_moment("2023-11-15T00:13:20.5+02:00", now) == now + s / 2);
    CHECK(read_moment("2023-11-14T17:13:20-05:00", now) == now);
    for (const char* bad :
         {"", "7", "d", "-1d", "7w", "99999999999999999999d", "20000d", "2023-13-01", "2023-02-29", "2023-11-14T", "2023-11-14T25:00",
          "2023-11-14T22:13:20.", "2023-11-14T22:13:20+2", "1969-12-31", "9999-01-01", "2023-11-14x"}) {
        CAPTURE(bad);
        CHECK(read_moment(bad, now) == std::nullopt);
    }
}

TEST_CASE("the state directory is that of the option, else of the file, else of the environment") {
    ::setenv("MQB_STATE_DIR", "/of/environment", 1);
    CHECK(*find_state_directory("/of/option", "/of/file") == "/of/option");
    CHECK(*find_state_directory("", "/of/file") == "/of/file");
    CHECK(*find_state_directory("", "") == "/of/environment");
    ::unsetenv("MQB_STATE_DIR");
    CHECK(*find_state_directory("", "") == *default_state_directory());
}

TEST_CASE("ages and sizes are short") {
    constexpr std::uint64_t s = 1'000'000'000;
    CHECK(age(5 * s, 4 * s) == "0s");
    CHECK(age(0, 119 * s) == "119s");
    CHECK(age(0, 120 * s) == "2m");
    CHECK(age(0, 7199 * s) == "119m");
    CHECK(age(0, 7200 * s) == "2h");
    CHECK(age(0, 172'799 * s) == "47h");
    CHECK(age(0, 172'800 * s) == "2d");
    CHECK(size_in_words(1023) == "1023 B");
    CHECK(size_in_words(1536) == "1.5 KiB");
    CHECK(size_in_words(std::uint64_t{5} << 30) == "5.0 GiB");
    CHECK(size_in_words(std::uint64_t{5} << 50) == "5120.0 TiB");
}
