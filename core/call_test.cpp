#include "core/call.hpp"
#include "core/owned_message.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>

using namespace mqb::core;

TEST_CASE("explanations keep the last text for each index and fall back to that of the whole call") {
    explanations texts;
    CHECK(texts.empty());
    texts.set(3, "first");
    texts.set(3, "last");
    CHECK(texts.of(3) == "last");
    CHECK(texts.of(4).empty());
    CHECK(texts.best(4).empty());
    texts.set(whole_call, "all");
    CHECK(texts.best(4) == "all");
    CHECK(texts.best(3) == "last");
    int seen = 0;
    texts.each([&](std::uint32_t, std::string_view) { ++seen; });
    CHECK(seen == 2);
    texts.clear();
    CHECK(texts.empty());
}

TEST_CASE("an explanation is cut at 4 KiB") {
    explanations texts;
    texts.set(0, std::string(5000, 'x'));
    CHECK(texts.of(0).size() == 4096);
}

namespace {

struct counting : buffer_owner {
    counting()
        : buffer_owner{sizeof(buffer_owner), 0, 10, [](buffer_owner* o) { ++static_cast<counting*>(o)->count; },
                       [](buffer_owner* o) { --static_cast<counting*>(o)->count; }} {}
    int count = 1;
};

buffer of(std::string_view text, buffer_owner* owner) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), owner}; }

}  // namespace

TEST_CASE("an owned message holds one count for each of its buffers, and gives it back once") {
    counting payload, metadata;
    message m;
    m.lane = 7;
    m.payload = of("abc", &payload);
    m.metadata = of("de", &metadata);
    {
        owned_message kept{m};
        CHECK(payload.count == 2);
        CHECK(metadata.count == 2);
        CHECK(kept.get().payload.data == m.payload.data);
        owned_message moved{std::move(kept)};
        CHECK(payload.count == 2);
        owned_message other{m};
        CHECK(payload.count == 3);
        other = std::move(moved);
        other = owned_message{};
        CHECK(other.get().payload.is_null());
    }
    CHECK(payload.count == 1);
    CHECK(metadata.count == 1);
}

TEST_CASE("an owned message copies what has no owner; null stays null and empty stays empty") {
    std::string text = "borrowed";
    message m;
    m.payload = of(text, nullptr);
    owned_message kept{m};
    text = "changed!";
    CHECK(kept.get().payload.text() == "borrowed");
    CHECK(kept.get().metadata.is_null());
    m.payload = of("", nullptr);
    owned_message empty{m};
    CHECK_FALSE(empty.get().payload.is_null());
    CHECK(empty.get().payload.size == 0);
    kept = std::move(empty);
    CHECK(kept.get().payload.size == 0);
}

TEST_CASE("a list walks by its stride and copies only what both sides know") {
    struct larger {
        outcome known;
        std::uint64_t unknown = 99;
    };
    larger all[3];
    for (std::uint32_t i = 0; i < 3; ++i) all[i].known.number = i;
    list<outcome> longer{all, 3, sizeof(larger), sizeof(outcome)};
    CHECK(longer[2].number == 2);
    CHECK(longer.part(1, 2)[1].number == 2);
    list<outcome> shorter{all, 3, sizeof(larger), 8};
    all[1].known.flags = 5;
    CHECK(shorter.copy(1).flags == 5);
    CHECK(shorter.copy(1).number == 0);
}
