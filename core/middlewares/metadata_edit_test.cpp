#include "core/middlewares/metadata_edit.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace mqb::core;

namespace {

std::string entry(int type, std::string_view key, std::string_view value) {
    std::string out;
    out += static_cast<char>(type);
    out += '\0';
    for (int i = 0; i < 2; ++i) out += static_cast<char>(key.size() >> (8 * i));
    for (int i = 0; i < 4; ++i) out += static_cast<char>(value.size() >> (8 * i));
    return (out += key) += value;
}
buffer as_buffer(const std::string& s) { return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size(), nullptr}; }
std::string changed(const std::string& block, std::string_view key, std::string_view value) {
    const std::array edit{text_edit{key, value}};
    const counted_block made = edited(as_buffer(block), edit);
    REQUIRE(made.get().owner != nullptr);
    return std::string{made.get().text()};
}

}  // namespace

TEST_CASE("all entries of a key go, the new one stands at the end, all others are the same bytes") {
    const std::string binary = entry(1, "bin", std::string_view{"\0\xff", 2});
    const std::string number = entry(4, "n", std::string_view{"\1\0\0\0\0\0\0\0", 8});
    const std::string block = binary + entry(2, "k", "old") + number + entry(0, "k", "") + binary;
    CHECK(changed(block, "k", "new") == binary + number + binary + entry(2, "k", "new"));
    CHECK(changed(block, "k", "") == binary + number + binary + entry(2, "k", ""));
    CHECK(changed(block, "k", {}) == binary + number + binary);
    CHECK(changed("", "k", "v") == entry(2, "k", "v"));
    CHECK(changed(block, "other", {}) == block);
    CHECK(changed("", "k", std::string(70'000, 'x')) == entry(2, "k", std::string(70'000, 'x')));
}

TEST_CASE("several keys are set in one go, in the order given") {
    const std::array edits{text_edit{"b", "1"}, text_edit{"a", "2"}, text_edit{"c", {}}};
    const std::string block = entry(2, "a", "x") + entry(2, "keep", "y") + entry(2, "c", "z");
    CHECK(edited(as_buffer(block), edits).get().text() == entry(2, "keep", "y") + entry(2, "b", "1") + entry(2, "a", "2"));
}

TEST_CASE("the last entry of a key counts, and only a text has one") {
    const std::string block = entry(2, "k", "first") + entry(2, "k", "last") + entry(4, "n", "12345678");
    CHECK(has_key(as_buffer(block), "k"));
    CHECK_FALSE(has_key(as_buffer(block), "kk"));
    CHECK(text_of(as_buffer(block), "k") == "last");
    CHECK(text_of(as_buffer(block), "n").empty());
    CHECK_FALSE(has_key(buffer{}, "k"));
}

TEST_CASE("what cannot be read stays at the end, and nothing outside is read") {
    const std::string good = entry(2, "k", "v");
    const std::string whole = entry(2, "key", "value");
    for (std::size_t cut = 1; cut < whole.size(); ++cut) {
        const std::string block = good + whole.substr(0, cut);
        CHECK(changed(block, "k", "new") == entry(2, "k", "new") + whole.substr(0, cut));
        const std::string exactly{block};
        CHECK_FALSE(has_key(as_buffer(exactly), "key"));
    }
    std::string reserved = whole;
    reserved[1] = 1;
    CHECK_FALSE(has_key(as_buffer(reserved), "key"));
    CHECK_FALSE(has_key(as_buffer(entry(2, "", "no key")), ""));
}

TEST_CASE("a block that would pass the bounds of the interface is not made") {
    std::string full;
    for (int i = 0; i < 4096; ++i) full += entry(2, "e", "");
    const std::array edit{text_edit{"k", "v"}};
    CHECK(edited(as_buffer(full), edit).get().owner == nullptr);
    const std::string fits = full.substr(entry(2, "e", "").size());
    CHECK(edited(as_buffer(fits), edit).get().size == fits.size() + entry(2, "k", "v").size());
    CHECK(edited(as_buffer(entry(1, "b", std::string((16u << 20) - 9, 'x'))), edit).get().owner == nullptr);
}

TEST_CASE("a block lives as long as somebody has it") {
    buffer kept;
    {
        const std::array edit{text_edit{"k", "v"}};
        const counted_block made = edited(buffer{}, edit);
        kept = made.get();
        CHECK(kept.owner->total_size == kept.size);
        kept.owner->retain(kept.owner);
    }
    CHECK(text_of(kept, "k") == "v");
    kept.owner->release(kept.owner);
}
