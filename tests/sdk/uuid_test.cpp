#include <mqb/sdk/uuid.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <set>
#include <thread>
#include <vector>

namespace sdk = mqb::sdk;
using id = std::array<std::uint8_t, 16>;

TEST_CASE("an id has version, variant and the time") {
    id one;
    sdk::make_uuid(one.data());
    CHECK((one[6] >> 4) == 7);
    CHECK((one[8] >> 6) == 2);
    std::uint64_t ms = 0;
    for (int i = 0; i < 6; ++i) ms = ms << 8 | one[static_cast<std::size_t>(i)];
    const auto now = static_cast<std::uint64_t>(std::time(nullptr)) * 1000;
    CHECK(ms + 60'000 > now);
    CHECK(ms < now + 60'000);
    const std::string text = sdk::uuid_text(one.data());
    CHECK(text.size() == 36);
    CHECK(text[14] == '7');
}

TEST_CASE("ids increase, one by one and in ranges") {
    std::vector<id> all(20000);
    sdk::uuid_range range(10000);
    for (std::size_t i = 0; i < 10000; ++i) range.make(all[i].data());
    for (std::size_t i = 10000; i < all.size(); ++i) sdk::make_uuid(all[i].data());
    CHECK(std::adjacent_find(all.begin(), all.end(), [](const id& a, const id& b) { return !(a < b); }) == all.end());
}

TEST_CASE("threads never make the same id") {
    std::vector<std::vector<id>> all(3, std::vector<id>(5000));
    std::vector<std::thread> threads;
    for (auto& own : all)
        threads.emplace_back([&own] {
            for (id& one : own) sdk::make_uuid(one.data());
        });
    for (std::thread& one : threads) one.join();
    std::set<id> different;
    for (const auto& own : all) different.insert(own.begin(), own.end());
    CHECK(different.size() == 15000);
}
