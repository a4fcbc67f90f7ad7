// order_key: what `order_by` makes of a message, as a number: equal keys, equal numbers.
#pragma once

#include "core/message.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace mqb::config {

using order_key = std::function<std::uint64_t(const core::message&)>;

// Of `${lane}`, or of a template that reads the message and nothing that changes from one time to the next. Messages that have not what it
// asks for have one number together. The key keeps memory: one thread at a time. The failure is one of the configuration.
[[nodiscard]] core::result<order_key> read_order_key(std::string_view text);

}  // namespace mqb::config
