#include "backlog.hpp"

#include <doctest/doctest.h>

using namespace mqb::dir_spool;
using namespace std::chrono_literals;

namespace {

const auto start = backlog::clock::now();

std::string given(backlog& from, backlog::clock::time_point now = start) {
    const std::string* next = from.next(now);
    if (next == nullptr) return "";
    std::string name = *next;
    const std::uint32_t times = from.give();
    return times == 1 ? name : name + "*" + std::to_string(times);
}

}  // namespace

TEST_CASE("what is out is known, and forgotten when it is settled") {
    backlog b(false);
    b.refill({"1", "2", "3"});
    CHECK(given(b) == "1");
    CHECK(b.knows("1"));
    CHECK_FALSE(b.knows("2"));
    CHECK(b.unsettled() == 1);
    b.settled("1");
    CHECK_FALSE(b.knows("1"));
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
    CHECK_FALSE(b.knows("2"));
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
    CHECK(b.knows("1"));
    CHECK(b.has_delayed());
    CHECK(b.unsettled() == 0);
    CHECK(b.next_due() == start + 2s);
    CHECK(given(b, start + 1s) == "");
    CHECK(given(b, start + 2s) == "2*2");
    CHECK(given(b, start + 9s) == "1*2");
    CHECK_FALSE(b.has_delayed());
}

TEST_CASE("a backlog that remembers knows what was ever given") {
    backlog b(true);
    b.refill({"1.bin", "2.bin"});
    given(b);
    b.settled("1.bin");
    CHECK(b.knows("1.bin"));
    CHECK_FALSE(b.knows("2.bin"));
    b.clear();
    CHECK_FALSE(b.knows("1.bin"));
}

TEST_CASE("names are remembered one by one") {
    name_set names;
    CHECK_FALSE(names.contains("0.bin"));
    for (int i = 0; i < 20000; i += 2) names.insert(std::to_string(i) + ".bin");
    names.insert("0.bin");
    CHECK(names.size() == 10000);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) wrong += names.contains(std::to_string(i) + ".bin") != (i % 2 == 0);
    CHECK(wrong == 0);
}
