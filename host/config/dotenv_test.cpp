#include "host/config/dotenv.hpp"

#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

using namespace mqb::config;
using fakes::lines;

TEST_CASE("lines are names and values, in quotes or without") {
    environment into{{"SET", "outside"}};
    findings to;
    read_dotenv(
        "# a comment\n\nA=1\nexport B = two words  # comment\nC='x # $A \\n'\nD=\"a\\nb\\\"\\$\\\\\" # d\nE=\nF=a#b\r\nSET=file\nG=#x\nA=2",
        ".env", into, to);
    CHECK_FALSE(to.has_errors());
    CHECK(into == environment{{"A", "1"},
                              {"B", "two words"},
                              {"C", "x # $A \\n"},
                              {"D", "a\nb\"$\\"},
                              {"E", ""},
                              {"F", "a#b"},
                              {"G", ""},
                              {"SET", "outside"}});
}

TEST_CASE("other lines are told, without their values") {
    environment into;
    findings to;
    read_dotenv("A=1\nwhat\n1X=2\nB='x\nC=\"x\" y\n", "dir/.env", into, to);
    lines found;
    for (const finding& f : to.sorted()) found.push_back(f.line());
    CHECK(found == lines{"dir/.env:2:1: is no line like NAME=VALUE", "dir/.env:3:1: is no line like NAME=VALUE",
                         "dir/.env:4:1: B: its quotes are not closed, or something stands behind them",
                         "dir/.env:5:1: C: its quotes are not closed, or something stands behind them"});
    CHECK(into == environment{{"A", "1"}});
}

TEST_CASE("a file that is not there says nothing, one that cannot be read is told") {
    environment into;
    findings to;
    read_dotenv_file("/nowhere/.env", into, to);
    CHECK_FALSE(to.has_errors());
    read_dotenv_file("/", into, to);
    REQUIRE(to.has_errors());
    CHECK(to.sorted()[0].line() == "/: cannot be read: is not a file");
    CHECK(into.empty());
}
