// Source position: where a message stood in the source of this route, as its metadata say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <mqb/sdk/metadata.hpp>

namespace mqb::file {

struct source_position {
    std::string_view source;  // a name for files, valid until the next look
    std::uint64_t partition = 0;
    std::uint64_t number = 0;  // the next message of the same source and partition has the next number, if there is none between
};

// Kept for many messages, since most are of the source of the one before.
class position_reader {
public:
    // Nothing: the message says nothing of it, or says it in another form.
    std::optional<source_position> look(sdk::metadata_view metadata);

private:
    std::string_view kind_;
    std::string place_, source_;  // the name as it was said, and what it is for files
};

}  // namespace mqb::file
