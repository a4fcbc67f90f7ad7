// Counts what is allocated on the heap while an evaluation runs.
#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

// In a file of its own: a compiler that sees both a `new` and what it is replaced by complains.
long allocations_so_far() noexcept;

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
