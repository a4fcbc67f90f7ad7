#include "core/expressions/decimal.hpp"

#include <doctest/doctest.h>
#include <boost/multiprecision/cpp_dec_float.hpp>

#include <random>
#include <string>
#include <vector>

using namespace mqb::core::expressions;

namespace {

decimal of(std::string_view text) {
    decimal d;
    REQUIRE_MESSAGE(read_decimal(text, d) == reading::number, text);
    return d;
}

std::string text(const decimal& d) {
    char to[decimal_text_size];
    return {to, write_decimal(d, to)};
}

std::string text(const std::optional<decimal>& d) { return d ? text(*d) : "none"; }

using judge = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<200>>;

}  // namespace

TEST_CASE("a decimal keeps its digits and its scale") {
    for (const char* same :
         {"0", "1", "1.50", "0.00", "-1.10", "9007199254740993", "18446744073709551615", "-9223372036854775808",
          "123456789012345678901234567890", "99999999999999999999999999999999999999", "0.00000000000000000000000001", "2e400"})
        CHECK(text(of(same)) == same);
    CHECK(text(of("1e2")) == "100");
    CHECK(text(of("1E+2")) == "100");
    CHECK(text(of("12.5e-3")) == "0.0125");
    CHECK(text(of("15e399")) == "1.5e400");
    CHECK(text(of("1.5e-100")) == "1.5e-100");
    CHECK(text(of("-0.0")) == "0.0");
    CHECK(text(of("0e400")) == "0");
    CHECK(text(of("+5")) == "5");
    CHECK(text(of("01234")) == "1234");
    CHECK(text(of("100000000000000000000000000000000000000000000000000")) == "1e50");
    CHECK(text(of("1.00000000000000000000000000000000000000000000000000")) == "1.0000000000000000000000000000000000000");
}

TEST_CASE("what is no number, or one that would have to be rounded, is told") {
    decimal d;
    for (const char* bad : {"", "-", "+", ".5", "5.", "1e", "1e+", "0x10", "1_000", " 1", "1 ", "inf", "nan", "1.2.3", "--1", "1e1.5"})
        CHECK_MESSAGE(read_decimal(bad, d) == reading::not_a_number, bad);
    for (const char* bad : {"123456789012345678901234567890123456789", "0.123456789012345678901234567890123456789", "1e1000001",
                            "1e-1000001", "1e99999999999999999999"})
        CHECK_MESSAGE(read_decimal(bad, d) == reading::too_long, bad);
}

TEST_CASE("arithmetic is exact, or there is no result") {
    CHECK(text(sum(of("0.1"), of("0.2"))) == "0.3");
    CHECK(text(sum(of("1.50"), of("0"))) == "1.50");
    CHECK(text(difference(of("1.50"), of("1.50"))) == "0.00");
    CHECK(text(sum(of("1e400"), of("1"))) == "none");
    CHECK(text(sum(of("1e37"), of("0.000"))) == "10000000000000000000000000000000000000");
    CHECK(text(sum(of("99999999999999999999999999999999999999"), of("1"))) == "1e38");
}

TEST_CASE("a product that only zeros make long is a result all the same") {
    CHECK(text(product(of("1.50"), of("2"))) == "3.00");
    CHECK(text(product(of("10000000000000000000000000000000000000"), of("10000000000000000000000000000000000000"))) == "1e74");
    CHECK(text(product(of("100000000000000000000"), of("12345678901234567890123"))) == "1.2345678901234567890123e42");
    CHECK(text(product(of("12345678901234567890123"), of("100000000000000000000"))) == "1.2345678901234567890123e42");
    CHECK(text(product(of("92345678901234567891"), of("12345678901234567891"))) == "none");
    CHECK(text(product(of("1e600000"), of("1e600000"))) == "none");
}

TEST_CASE("a quotient is exact where it can be, else rounded to 28 digits") {
    CHECK(text(quotient(of("7"), of("2"))) == "3.5");
    CHECK(text(quotient(of("6.00"), of("2"))) == "3.00");
    CHECK(text(quotient(of("100"), of("2"))) == "50");
    CHECK(text(quotient(of("1"), of("3"))) == "0.3333333333333333333333333333");
    CHECK(text(quotient(of("-2"), of("3"))) == "-0.6666666666666666666666666667");
    CHECK(text(quotient(of("1"), of("99999999999999999999999999999999999999"))) ==
          "0.00000000000000000000000000000000000001000000000000000000000000000");
    CHECK(text(quotient(of("0"), of("7"))) == "0");
}

TEST_CASE("a remainder has the sign of what is divided") {
    CHECK(text(remainder(of("7"), of("2"))) == "1");
    CHECK(text(remainder(of("-7"), of("2"))) == "-1");
    CHECK(text(remainder(of("7.5"), of("-2"))) == "1.5");
    CHECK(text(remainder(of("1e30"), of("7"))) == "1");
    CHECK(text(remainder(of("3"), of("1e400"))) == "3");
}

TEST_CASE("a power is exact for whole exponents") {
    CHECK(text(power(of("2"), 9)) == "512");
    CHECK(text(power(of("1.1"), 2)) == "1.21");
    CHECK(text(power(of("2"), -2)) == "0.25");
    CHECK(text(power(of("0"), 0)) == "1");
    CHECK(text(power(of("3"), 100)) == "none");
    CHECK(text(power(of("10"), 400)) == "1e400");
}

TEST_CASE("half is rounded away from zero") {
    const auto round = [](const char* t, int digits, rounding how = rounding::half_away) { return text(rounded(of(t), digits, how)); };
    CHECK(round("2.5", 0) == "3");
    CHECK(round("-2.5", 0) == "-3");
    CHECK(round("2.345", 2) == "2.35");
    CHECK(round("2.4999", 0) == "2");
    CHECK(round("2", 2) == "2");
    CHECK(round("1e-60", 0) == "0");
    CHECK(round("-1.5", 0, rounding::down) == "-2");
    CHECK(round("-1.5", 0, rounding::up) == "-1");
    CHECK(round("1.01", 0, rounding::up) == "2");
    CHECK(round("1.99", 0, rounding::to_zero) == "1");
}

TEST_CASE("numbers of any size are compared exactly") {
    CHECK(compare(of("6000000000000002181"), of("6000000000000002180")) > 0);
    CHECK(compare(of("1.0"), of("1")) == 0);
    CHECK(compare(of("1e2"), of("100")) == 0);
    CHECK(compare(of("1e400"), of("9e399")) > 0);
    CHECK(compare(of("-1e400"), of("1")) < 0);
    CHECK(compare(of("1e-400"), of("0")) > 0);
    CHECK(compare(of("-0.0"), of("0")) == 0);
    CHECK(compare(of("99999999999999999999999999999999999999"), of("99999999999999999999999999999999999999.0")) == 0);
}

TEST_CASE("random decimals agree with two hundred digits of binary-coded ones") {
    std::mt19937_64 dice{20261130};
    const auto random_text = [&] {
        std::string out = dice() % 2 == 0 ? "-" : "";
        const auto digits = 1 + dice() % 24, point = dice() % 8;
        for (std::uint64_t i = 0; i < digits; ++i) {
            out += static_cast<char>('0' + dice() % 10);
            if (i == point && i + 1 < digits) out += '.';
        }
        return dice() % 4 == 0 ? out + 'e' + std::to_string(static_cast<int>(dice() % 21) - 10) : out;
    };
    const auto judged = [](const decimal& d) { return judge{text(d)}; };
    int exact = 0;
    for (int i = 0; i < 4'000; ++i) {
        const std::string a_text = random_text(), b_text = random_text();
        const decimal a = of(a_text), b = of(b_text);
        const judge x{a_text}, y{b_text};
        CAPTURE(a_text);
        CAPTURE(b_text);
        CHECK(judged(a) == x);
        CHECK(compare(a, b) == x.compare(y));
        if (const auto r = sum(a, b)) {
            CHECK(judged(*r) == x + y);
            ++exact;
        }
        if (const auto r = difference(a, b)) CHECK(judged(*r) == x - y);
        if (const auto r = product(a, b)) {
            CHECK(judged(*r) == x * y);
            ++exact;
        }
        if (b.is_zero()) continue;
        const auto q = quotient(a, b);
        REQUIRE(q);
        const judge error = abs(judged(*q) - x / y);
        CHECK(error <= abs(x / y) * judge{"5.0000001e-28"});
        if (const auto r = remainder(a, b)) {
            const judge times = (x - judged(*r)) / y;
            CHECK(abs(times - round(times)) < judge{"1e-100"});
            CHECK(abs(judged(*r)) < abs(y));
            CHECK((r->is_zero() || r->is_negative == a.is_negative));
        }
    }
    CHECK(exact > 4'000);
}
