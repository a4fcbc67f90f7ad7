#include <mqb/sdk/metadata_text.hpp>
#include <mqb/sdk/metadata_writer.hpp>

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

namespace sdk = mqb::sdk;

TEST_CASE("entries come back in order, typed, and the last of a repeated key counts") {
    sdk::metadata_block block;
    block.text("a", "1").number("b", -5).text("a", "2").flag("c", true).real("d", 0.1).null("e").json("f", "{}").raw_bytes(
        "g", std::string_view("\0\xff", 2));
    block.time("h", {-1, 500'000'000});
    std::string keys;
    for (const sdk::metadata_entry entry : block.view()) keys += entry.key();
    CHECK(keys == "abacdefgh");
    const sdk::metadata_view view = block.view();
    CHECK(view.get("a")->as_text() == "2");
    CHECK(view.get("b")->as_int() == -5);
    CHECK(view.get("c")->as_bool() == true);
    CHECK(view.get("d")->as_double() == 0.1);
    CHECK(view.get("e")->is_null());
    CHECK(view.get("f")->as_json() == "{}");
    CHECK(view.get("g")->as_bytes() == std::string_view("\0\xff", 2));
    CHECK(view.get("h")->as_time() == sdk::time_point{-1, 500'000'000});
    CHECK_FALSE(view.get("x"));
    CHECK_FALSE(view.get("a")->as_int());
    CHECK(view.is_valid());
}

TEST_CASE("the block is byte for byte what the C header writes") {
    for (std::size_t size = 1; size <= 40; ++size) {
        const std::string key(size, 'k'), value(40 - size, 'v');
        sdk::metadata_block block;
        block.text("x", "y").text(key, value);
        std::uint8_t wanted[128];
        std::size_t at = mqb_meta_put(wanted, sizeof wanted, 0, MQB_META_TEXT, sdk::text_of("x"), "y", 1);
        at = mqb_meta_put(wanted, sizeof wanted, at, MQB_META_TEXT, sdk::text_of(key), value.data(), value.size());
        CHECK(sdk::view(block.buffer()) == std::string_view(reinterpret_cast<const char*>(wanted), at));
    }
}

TEST_CASE("a damaged block ends where the damage begins") {
    sdk::metadata_block block;
    block.text("first", "1").text("second", "2");
    std::vector<std::uint8_t> bytes(block.buffer().data, block.buffer().data + block.buffer().size);
    bytes.pop_back();
    const sdk::metadata_view view(mqb_buffer{bytes.data(), bytes.size(), nullptr});
    CHECK_FALSE(view.is_valid());
    int entries = 0;
    for ([[maybe_unused]] const sdk::metadata_entry entry : view) ++entries;
    CHECK(entries == 1);
}

TEST_CASE("blocks are appended, with or without some keys, and keys have a length") {
    sdk::metadata_block from, to;
    from.text("mqb.src.a", "1").text("key", "k").number("n", 2);
    to.append_without(from.view(), [](std::string_view key) { return key.starts_with("mqb.src."); });
    CHECK_FALSE(to.view().get("mqb.src.a"));
    CHECK(to.view().get("n")->as_int() == 2);
    to.append(from.view());
    CHECK(to.view().get("mqb.src.a"));
    CHECK_THROWS_AS(to.text("", "x"), std::length_error);
    CHECK_THROWS_AS(to.text(std::string(65536, 'k'), "x"), std::length_error);
}

TEST_CASE("every type has one text form") {
    sdk::metadata_block block;
    const auto text = [&](auto add) {
        block.clear();
        add();
        return sdk::text_form(*block.view().begin());
    };
    CHECK(text([&] { block.null("k"); }) == "");
    CHECK(text([&] { block.text("k", "x\n"); }) == "x\n");
    CHECK(text([&] { block.json("k", "[1]"); }) == "[1]");
    CHECK(text([&] { block.flag("k", false); }) == "false");
    CHECK(text([&] { block.number("k", INT64_MIN); }) == "-9223372036854775808");
    CHECK(text([&] { block.real("k", 0.1); }) == "0.1");
    CHECK(text([&] { block.real("k", 1e300); }) == "1e+300");
    CHECK(text([&] { block.real("k", std::nan("")); }) == "nan");
    CHECK(text([&] { block.real("k", -std::numeric_limits<double>::infinity()); }) == "-inf");
    CHECK(text([&] { block.raw_bytes("k", "M"); }) == "TQ==");
    CHECK(text([&] { block.raw_bytes("k", "Ma"); }) == "TWE=");
    CHECK(text([&] { block.raw_bytes("k", "Man"); }) == "TWFu");
    CHECK(text([&] { block.put_entry(200, "k", "\xfb\xff"); }) == "+/8=");
}

TEST_CASE("times are RFC 3339 with the decimals that are there") {
    const auto text = [](std::int64_t seconds, std::uint32_t nanoseconds) {
        std::string to;
        sdk::append_rfc3339(to, {seconds, nanoseconds});
        return to;
    };
    CHECK(text(0, 0) == "1970-01-01T00:00:00Z");
    CHECK(text(-1, 1) == "1969-12-31T23:59:59.000000001Z");
    CHECK(text(951782400, 120'000'000) == "2000-02-29T00:00:00.12Z");
    CHECK(text(253402300799, 999'999'999) == "9999-12-31T23:59:59.999999999Z");
    CHECK(text(-62135596800, 0) == "0001-01-01T00:00:00Z");
    CHECK(sdk::time_point::from_ms(-1) == sdk::time_point{-1, 999'000'000});
    CHECK(sdk::time_point::from_ns(-1) == sdk::time_point{-1, 999'999'999});
}
