#include "backlog.hpp"

#include <doctest/doctest.h>

using namespace mqb::dir_spool;
using namespace std::chrono_literals;

namespace {

mqb::sdk::message_id id_of(std::string_view text) { return mqb::sdk::id_from_text(text); }

const auto start = backlog::clock::now();

// Of a chunk of this version.
std::string given(backlog& from, backlog::clock::time_point now = start, const std::string& version = "") {
    const std::string* next = from.next(now);
    if (next == nullptr) return "";
    std::string name = *next;
    const std::uint32_t times = from.give(id_of(name + version));
    return times == 1 ? name : name + "*" + std::to_string(times);
}

}  // namespace

TEST_CASE("what is out is known, and forgotten when it is settled") {
    backlog b(false);
    b.refill({"1", "2", "3"});
    CHECK(given(b) == "1");
    CHECK(b.is_out("1"));
    CHECK_FALSE(b.is_out("2"));
    CHECK(b.unsettled() == 1);
    b.settled("1");
    CHECK_FALSE(b.is_out("1"));
    CHECK(b.unsettled() == 0);
    b.skip();
    CHECK(given(b) == "3");
    CHECK(given(b) == "");
}

TEST_CASE("what was given back comes at its old place, counted") {
    backlog b(false);
    b.refill({"1", "2", "3", "4"});
    for (int i = 0; i < 3; ++i) given(b);
    b.returned("2", {});
    b.returned("2", {});  // only once
    CHECK_FALSE(b.is_out("2"));
    CHECK(given(b) == "2*2");
    b.returned("1", {});
    b.returned("2", {});
    CHECK(given(b) == "1*2");
    CHECK(given(b) == "2*3");
    CHECK(given(b) == "4");
    CHECK(b.unsettled() == 4);
}

TEST_CASE("what was given back for later waits for its time") {
    backlog b(false);
    b.refill({"1", "2"});
    given(b);
    given(b);
    b.returned("2", start + 2s);
    b.returned("1", start + 5s);
    CHECK(b.is_out("1"));
    CHECK(b.has_delayed());
    CHECK(b.unsettled() == 0);
    CHECK(b.next_due() == start + 2s);
    CHECK(given(b, start + 1s) == "");
    CHECK(given(b, start + 2s) == "2*2");
    CHECK(given(b, start + 9s) == "1*2");
    CHECK_FALSE(b.has_delayed());
}

TEST_CASE("what was given back and is another chunk by now, or was gone in between, is given for the first time") {
    backlog b(false);
    b.refill({"1", "2", "3"});
    for (int i = 0; i < 3; ++i) given(b);
    for (const char* name : {"1", "2", "3"}) b.returned(name, {});
    CHECK(given(b, start, "new") == "1");
    b.skip();
    CHECK(given(b) == "3*2");
    b.settled("3");
    b.refill({"2"});
    CHECK(given(b) == "2");
}

TEST_CASE("a backlog that remembers knows which chunks were ever given") {
    backlog b(true);
    b.refill({"1.bin", "2.bin"});
    given(b, start, "old");
    b.settled("1.bin");
    CHECK_FALSE(b.is_out("1.bin"));
    CHECK(b.was_given(id_of("1.binold")));
    CHECK_FALSE(b.was_given(id_of("1.binnew")));
    CHECK_FALSE(b.was_given(id_of("2.binold")));
    b.clear();
    CHECK_FALSE(b.was_given(id_of("1.binold")));
}

TEST_CASE("a backlog that does not remember knows none") {
    backlog b(false);
    b.refill({"1"});
    given(b);
    CHECK(b.is_out("1"));
    CHECK_FALSE(b.was_given(id_of("1")));
}

TEST_CASE("ids are remembered one by one") {
    id_set ids;
    CHECK_FALSE(ids.contains(id_of("0")));
    CHECK_FALSE(ids.find(id_of("0")));
    for (int i = 0; i < 20000; i += 2) ids.insert(id_of("x" + std::to_string(i)));
    ids.insert(id_of("x0"));
    ids.insert({});
    CHECK(ids.size() == 10001);
    CHECK(ids.contains({}));
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) wrong += ids.contains(id_of("x" + std::to_string(i))) != (i % 2 == 0);
    CHECK(wrong == 0);
}

TEST_CASE("ids of what is not there any more are forgotten, so that a set grows with what is there and not with what ever was") {
    id_set ids;
    const auto of = [](int round, int i) { return id_of("round " + std::to_string(round) + " chunk " + std::to_string(i)); };
    std::size_t most = 0;
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 1000; ++i) ids.insert(of(round, i));
        ids.begin_look();
        for (int i = 0; i < 1000; ++i) CHECK(ids.find(of(round, i)));
        for (int i = 0; i < 1000; ++i) ids.find(of(round + 1, i));
        ids.end_look();
        for (int i = 0; i < 1000; ++i) CHECK(ids.contains(of(round, i)));
        most = std::max(most, ids.size());
    }
    CHECK(most <= 2 * 1000 + 1024);
    // What is inserted during a look is there, and what was found before its places were moved is, too.
    ids.begin_look();
    CHECK(ids.find(of(99, 7)));
    for (int i = 0; i < 5000; ++i) ids.insert(of(200, i));
    ids.end_look();
    for (int i = 0; i < 5000; ++i) CHECK(ids.contains(of(200, i)));
    CHECK(ids.contains(of(99, 7)));
    // What a look that did not end has found counts for nothing in the next one.
    ids.begin_look();
    CHECK(ids.find(of(200, 8)));
    ids.begin_look();
    CHECK(ids.find(of(200, 7)));
    ids.end_look();
    CHECK(ids.size() == 1);
    CHECK(ids.contains(of(200, 7)));
    CHECK_FALSE(ids.contains(of(200, 8)));
}
