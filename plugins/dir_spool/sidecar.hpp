// Sidecar: the id and the metadata of a chunk, as JSON.
//
//   sidecar := {"message_id": id, "metadata": {text: text …}}       other members are ignored, and each may be missing
//   id      := text | whole number | {"$oid": hex}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <mqb/sdk/message_id.hpp>
#include <mqb/sdk/metadata_writer.hpp>

namespace mqb::dir_spool {

// No sidecar of ours is longer; a longer one is not read.
inline constexpr std::size_t longest_sidecar = std::size_t{128} << 20;

struct sidecar {
    std::optional<sdk::message_id> id;
    sdk::metadata_block metadata;
    std::string why_broken;  // not empty: it is none, for this reason
};

sidecar read_sidecar(std::string_view json);

// Values in their text form, of repeated keys the last one; source positions and private types are left out, and a null payload is
// marked.
void append_sidecar(const mqb_message& message, std::string& to);

}  // namespace mqb::dir_spool
