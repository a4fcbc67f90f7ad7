#include "core/expressions/machine.hpp"
#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <thread>
#include <vector>

using namespace mqb::core::expressions;

namespace {

std::string little_endian(std::uint64_t n, int size) {
    std::string out;
    for (int i = 0; i < size; ++i) out += static_cast<char>(static_cast<unsigned char>(n >> (8 * i)));
    return out;
}

// As a metadata block has it.
std::string entry(int type, std::string_view key, std::string_view bytes) {
    return little_endian(static_cast<std::uint64_t>(type), 2) + little_endian(key.size(), 2) + little_endian(bytes.size(), 4) +
           std::string{key} + std::string{bytes};
}

std::string over(std::string_view expression, const std::string& block) {
    const auto p = compile(expression, purpose::transform);
    REQUIRE_MESSAGE(p.has_value(), expression);
    evaluator e;
    const auto result = e.json(*p, {}, bytes_of(block));
    return result ? std::string{*result} : "error: " + result.error().text;
}

}  // namespace

TEST_CASE("metadata of every type is a value of its own") {
    enum : int { null = 0, bytes = 1, text = 2, boolean = 3, integer = 4, floating = 5, moment = 6, json = 7, endpoints_own = 200 };
    const std::string block = entry(null, "n", "") + entry(bytes, "b", "raw") + entry(bytes, "bad", "\xff") + entry(text, "t", "first") +
                              entry(text, "t", "last") + entry(boolean, "yes", "\x01") + entry(boolean, "no", std::string_view{"\0", 1}) +
                              entry(integer, "i", little_endian(static_cast<std::uint64_t>(-7), 8)) +
                              entry(floating, "f", little_endian(std::bit_cast<std::uint64_t>(0.1), 8)) +
                              entry(floating, "inf", little_endian(std::bit_cast<std::uint64_t>(-1.0 / 0.0), 8)) +
                              entry(moment, "at", little_endian(1'769'853'600, 8) + little_endian(120'000'000, 4)) +
                              entry(moment, "old", little_endian(static_cast<std::uint64_t>(-1), 8) + little_endian(0, 4)) +
                              entry(json, "j", R"({"a":1})") + entry(endpoints_own, "own", "x") + entry(integer, "cut", "123");
    const std::pair<const char*, const char*> rows[] = {
        {"meta.n", "null"},
        {"meta.b", R"("raw")"},
        {"meta.t", R"("last")"},
        {"[meta.yes, meta.no]", "[true,false]"},
        {"meta.i * 2", "-14"},
        {"meta.f + meta.f", "0.2"},
        {"meta.inf", R"("-inf")"},
        {"meta.at", R"("2026-01-31T10:00:00.12Z")"},
        {"d(meta.at).hour()", "10"},
        {"meta.old", R"("1969-12-31T23:59:59Z")"},
        {"meta.j", R"("{\"a\":1}")"},
        {"meta.none", "null"},
        {"meta.bad", "error: the metadata \"bad\" is nothing that an expression can read"},
        {"meta.own", "error: the metadata \"own\" is nothing that an expression can read"},
        {"meta.cut", "error: the metadata \"cut\" is nothing that an expression can read"},
    };
    for (const auto& row : rows) CHECK_MESSAGE(over(row.first, block) == row.second, row.first);
    CHECK(over("meta.k", entry(text, "k", "v") + "broken") == R"("v")");
    CHECK(over("meta.k", "\x02") == "null");
}

TEST_CASE("metadata is looked up once in an evaluation, and that is counted") {
    const std::string block = entry(6, "at", little_endian(1'769'853'600, 8) + little_endian(120'000'000, 4));
    // A million texts of the time would not fit beside a million numbers.
    CHECK(over("count([1..1000000], meta.at == 'x')", block) == "0");
    const auto p = compile("meta.none", purpose::transform);
    std::string large;
    for (int i = 0; i < 1'000; ++i) large += entry(2, "k" + std::to_string(i), std::string(64, 'v'));
    workspace work{workspace::most_memory, 1'000};
    work.evaluation = 1;
    work.metadata.resize(1);
    const subject of{{}, bytes_of(large)};
    CHECK_THROWS_AS((void)machine(p->internal(), work, &of).run(p->internal().start), mistake);
}

TEST_CASE("one evaluator runs many programs over many messages, and nothing of one is left in the next") {
    evaluator e;
    const auto amount = compile("amount", purpose::transform), other = compile("other ?? x.y", purpose::transform),
               set = compile("v = amount; {v: v}", purpose::transform);
    for (int i = 0; i < 200; ++i) {
        const std::string n = std::to_string(i), payload = "{\"amount\":" + n + ",\"x\":{\"y\":\"" + n + "\"}}";
        CHECK(*e.json(*amount, bytes_of(payload), {}) == n);
        CHECK(*e.json(*other, bytes_of(payload), {}) == '"' + n + '"');
        CHECK(*e.json(*set, bytes_of(payload), {}) == "{\"v\":" + n + "}");
        CHECK_FALSE(e.json(*amount, bytes_of("{"), {}).has_value());
        CHECK_FALSE(e.json(*amount, {}, {}).has_value());
        CHECK(*e.json(*other, bytes_of("{}"), {}) == "null");
    }
    const std::string large = "{\"amount\":\"" + std::string(3u << 20, 'x') + "\"}";
    CHECK(e.json(*amount, bytes_of(large), {})->size() == (3u << 20) + 2);
    CHECK(*e.json(*amount, bytes_of(R"({"amount":1})"), {}) == "1");
}

TEST_CASE("threads share a program, each with an evaluator of its own") {
    const auto p = compile("some(items, matches(#.name, '^a.*z$') and #.n in [1, 2, meta.n]) and upper(s) == 'É'", purpose::filter);
    REQUIRE(p.has_value());
    const std::string block = entry(2, "n", "3");
    std::vector<std::thread> threads;
    std::vector<int> kept(4);
    for (int& count : kept)
        threads.emplace_back([&] {
            evaluator e;
            const program mine = *p;
            for (int i = 0; i < 2'000; ++i) {
                const std::string payload = R"({"s":"é","items":[{"name":"x","n":1},{"name":"abcz","n":)" + std::to_string(i % 4) + "}]}";
                count += *e.holds(mine, bytes_of(payload), bytes_of(block)) ? 1 : 0;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(kept == std::vector<int>(4, 1'000));
}

TEST_CASE("a path goes through members, elements and characters, and the last of a repeated key counts") {
    const char* payload = R"({"s":"abc","l":["xy",{"q":5}],"k" : 1,"":7,"k":2, "o": {"k":3,"k" :4}, "e\u0073c":6})";
    const std::pair<const char*, const char*> rows[] = {
        {"s[0]", R"("a")"}, {"s[1][0]", R"("b")"}, {"s[0][1]", "null"},  {"s[0].x", "null"},     {"s[5][0]", "null"}, {"l[0][1]", R"("y")"},
        {"l[1].q", "5"},    {"l.q", "null"},       {"k", "2"},           {"k.x", "null"},        {"o.k", "4"},        {"o[0]", "null"},
        {"esc", "6"},       {R"($root[""])", "7"}, {"$root[0]", "null"}, {R"($root["k"])", "2"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.first);
        CHECK(transformed(row.first, payload) == row.second);
    }
    CHECK(transformed("k", R"({"k" : 1,"kk":2,"":3})") == "1");  // no escape in it
}
