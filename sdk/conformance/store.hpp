// Store: a store of the plugin, called as a host calls it and checked at every answer.
#pragma once
#include "consumer.hpp"

namespace mqb::conformance {

struct store_entry {
    std::int32_t verb;
    std::string key, value = {};
    std::int32_t condition = MQB_ALWAYS;
    std::uint64_t version = 0, expiry_ns = 0;
    std::uint32_t limit = 1;
};
struct found_value {
    std::uint32_t index;
    std::string key, value;
    std::uint64_t version, expires_in_ns;
};
struct store_answer {
    std::vector<mqb_outcome> outcomes;
    std::vector<found_value> found;
};

class store : public handle<mqb_store, mqb_store_table> {
public:
    explicit store(recipe);
    store_answer apply(const std::vector<store_entry>&);
    store_answer apply(const store_entry& e) { return apply(std::vector<store_entry>{e}); }
};

}  // namespace mqb::conformance
