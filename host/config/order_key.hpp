// order_key: what `order_by` makes of a message, as a number: equal keys, equal numbers.
#pragma once

#include "core/message.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace mqb::config {

// Of `${metadata:KEY}`, `${message:id}` or `${lane}`; empty for anything else. Messages without the key have one number together.
[[nodiscard]] std::function<std::uint64_t(const core::message&)> read_order_key(std::string_view text);

}  // namespace mqb::config
