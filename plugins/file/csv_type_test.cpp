#include "csv_type.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::file;

namespace {

// What the cell becomes; "-": it is not of the type.
std::string made(std::string cell, csv_type type) {
    const std::size_t size = cell.size();
    cell.resize(size + longest_gain, '?');
    const char* const end = make_value(cell.data(), cell.data() + size, type);
    return end == nullptr ? "-" : cell.substr(0, static_cast<std::size_t>(end - cell.data()));
}

}  // namespace

TEST_CASE("a number keeps its digits; blanks around it and its plus go") {
    for (const std::string same :
         {"0", "-0", "42", "1.50", "-0.0", "1e5", "1E-05", "9007199254740993", "123456789012345678901234567890.10"})
        CHECK(made(same, csv_type::number) == same);
    CHECK(made(" 5", csv_type::number) == "5");
    CHECK(made("+1.5  ", csv_type::number) == "1.5");
    for (const char* bad : {"x", "1.", ".5", "01", "1e", "1e+", "-", "+", "+-1", "++1", "- 1", "1 2", "0x1", "NaN", "1,5", "\\t1", "true"})
        CHECK(made(bad, csv_type::number) == "-");
}

TEST_CASE("an integer is digits; its leading zeros go") {
    CHECK(made("007", csv_type::integer) == "7");
    CHECK(made("-007", csv_type::integer) == "-7");
    CHECK(made("+5", csv_type::integer) == "5");
    CHECK(made("000", csv_type::integer) == "0");
    CHECK(made("-0", csv_type::integer) == "0");
    CHECK(made("  12 ", csv_type::integer) == "12");
    CHECK(made("123456789012345678901234567890", csv_type::integer) == "123456789012345678901234567890");
    for (const char* bad : {"1.0", "1e2", "-", "+", "+-1", "--1", "a", "1a", "- 1"}) CHECK(made(bad, csv_type::integer) == "-");
}

TEST_CASE("a boolean is one of four texts, and what is empty is null in every type") {
    CHECK(made("true", csv_type::boolean) == "true");
    CHECK(made("1", csv_type::boolean) == "true");
    CHECK(made("false", csv_type::boolean) == "false");
    CHECK(made(" 0 ", csv_type::boolean) == "false");
    for (const char* bad : {"TRUE", "yes", "2", "truex", "+1"}) CHECK(made(bad, csv_type::boolean) == "-");
    for (const csv_type type : {csv_type::integer, csv_type::number, csv_type::boolean}) {
        CHECK(made("", type) == "null");
        CHECK(made("   ", type) == "null");
    }
}
