#include "block.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using namespace mqb::file;

namespace {

void read_into(block& b, std::string_view text) {
    const auto room = b.room();
    REQUIRE(room.size() >= text.size());
    std::memcpy(room.data(), text.data(), text.size());
    b.filled(text.size());
}

}  // namespace

TEST_CASE("what is unread stays until it is dropped") {
    block b;
    CHECK(b.unread().empty());
    read_into(b, "abc");
    b.drop(1);
    read_into(b, "def");
    CHECK(b.unread() == "bcdef");
    b.drop(5);
    CHECK(b.unread().empty());
}

TEST_CASE("there is always room for half a block, and a long record makes it grow, for a while") {
    block b;
    std::string kept;
    const std::string piece(100 << 10, 'p');
    for (int i = 0; i < 100; ++i) {
        CHECK(b.room().size() >= block::usual / 2);
        read_into(b, piece);
        kept += piece;
    }
    CHECK(b.unread() == kept);
    CHECK(kept.size() + b.room().size() < kept.size() / 4 * 7);
    b.drop(kept.size());
    CHECK(b.room().size() == block::usual);
}
