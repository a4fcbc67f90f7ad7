// Part: the messages of one inner batch that are given at once, and the rest of it.
#pragma once

#include "byte_block.hpp"

#include <mqb/message.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mqb::compressing {

// A batch of the inner side.
struct source_batch {
    void* batch = nullptr;
    mqb_list messages{};
    std::uint32_t next = 0;   // the first that has not been looked at
    std::uint32_t parts = 0;  // given and not freed
    [[nodiscard]] bool is_over() const noexcept { return next >= messages.count && parts == 0; }
};

// What the caller gets of it as a batch.
struct part {
    source_batch* of = nullptr;
    std::vector<mqb_message> messages;
    std::vector<std::uint32_t> index;  // of each in the inner batch
    std::vector<byte_block> payloads;
};

// A message that goes no further.
struct wrong_message {
    std::uint32_t index;
    std::string why;
};

}  // namespace mqb::compressing
