#include "config.hpp"

#include <mqb/sdk/option_docs.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

using mqb::compressing::config;

TEST_CASE("the README has the options as they are") {
    std::ifstream in(MQB_COMPRESSION_README);
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    const std::string table = mqb::sdk::docs_table<config>();
    INFO(table);
    CHECK(page.find(table) != std::string::npos);
}
