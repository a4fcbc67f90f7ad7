// node: one value of a route file as it was written, before a schema says what it means.
#pragma once

#include "host/config/position.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::config {

enum class shape { null, scalar, list, map };

struct node;
using node_ptr = std::shared_ptr<const node>;  // an alias shares the node of its anchor

struct entry {
    std::string key;
    position at;  // of the key
    node_ptr value;
};

struct node {
    shape what = shape::null;
    position at;
    std::string text;        // of a scalar
    bool is_quoted = false;  // the file says that it is text
    bool is_secret = false;  // it comes from a place for secrets: never shown
    std::vector<node_ptr> items;
    std::vector<entry> entries;  // in the order of the file, keys once
    std::uint64_t weight = 1;    // values in here, each alias counted as a copy
    std::uint32_t depth = 1;

    // Null if the map has no such key.
    [[nodiscard]] const entry* find(std::string_view key) const noexcept {
        for (const entry& e : entries)
            if (e.key == key) return &e;
        return nullptr;
    }
};

inline constexpr std::uint64_t most_values = 200'000;  // a file of 10,000 routes has about that many
inline constexpr std::uint32_t deepest = 64;

}  // namespace mqb::config
