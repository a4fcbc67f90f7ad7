// Counts what is allocated on the heap while an evaluation runs.
#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

// In a file of its own: a compiler that sees both a `new` and what it is replaced by complains.
long allocations_so_far() noexcept;
// False: it does nothing here. SIZE_MAX ends it.
bool refuse_allocations_of(std::size_t least) noexcept;

using namespace mqb::core::expressions;

TEST_CASE("an evaluation allocates nothing once its memory is there") {
    const auto block = block_of({{"k", "v"}, {"n", "7"}});
    const std::string payload = R"({"amount":"150","l":[1,2,3],"o":{"x":[{"y":2}]},"t":"\u00e4","s":"aab"})";
    for (const char* expression : {"meta.k == 'v' and meta.n > 3 and meta.none == null", "amount > 100", "o.x[0].y == 2 or missing > 1",
                                   "some(l, # > 2) and len(l) == 3", "t == 'ä' and upper(t) == 'Ä'",
                                   "matches(s, '^a+b') and startsWith(s, 'a')", "sum(map(l, # * 1.5)) == 9 and {a: l} == {a: [1, 2, 3]}"}) {
        const auto p = compile(expression, purpose::filter);
        REQUIRE_MESSAGE(p.has_value(), expression);
        evaluator e;
        REQUIRE(e.holds(*p, bytes_of(payload), block.get()).has_value());
        const long before = allocations_so_far();
        bool all = true;
        for (int i = 0; i < 100; ++i) all = all && *e.holds(*p, bytes_of(payload), block.get());
        const long after = allocations_so_far();
        CHECK_MESSAGE(all, expression);
        CHECK_MESSAGE(after == before, expression);
    }
}

TEST_CASE("where there is no memory the evaluation fails, and the next one is as ever") {
    evaluator e;
    std::string list = "0";
    for (int i = 1; i < 50'000; ++i) list += ",1";
    const std::string large = "{\"l\":[" + list + "]}";
    const auto count = compile("len(l)", purpose::transform), merged = compile("merge(map([1..50000], {a: #}))", purpose::transform),
               whole = compile("$root", purpose::transform), texts = compile("len(`${l}`)", purpose::transform);
    for (const auto* p : {&count, &merged, &whole, &texts}) {
        REQUIRE(p->has_value());
        // Each of what is allocated fails once, the large ones first.
        for (std::size_t least = 4u << 20; least >= 1u << 10; least /= 2) {
            evaluator fresh;
            const bool is_refused = refuse_allocations_of(least);
            const auto result = fresh.json(**p, bytes_of(large), {});
            const auto of_used = e.json(**p, bytes_of(large), {});
            refuse_allocations_of(SIZE_MAX);
            if (is_refused && least == 1u << 10) {
                REQUIRE_FALSE(result.has_value());
                CHECK((result.error().text == "there is no memory to evaluate the expression" ||
                       result.error().text == "the payload is not structured JSON: there is no memory to read it"));
            }
            CHECK(fresh.json(**p, bytes_of(large), {}).has_value());
            CHECK(e.json(**p, bytes_of(large), {}).has_value());
            (void)of_used;
        }
    }
}
