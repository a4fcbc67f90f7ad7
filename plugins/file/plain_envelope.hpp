// Plain envelope: the envelopes that our own writer makes of text, read in one pass. Whatever is not quite that is left to the
// envelope reader, which knows everything and takes three times as long.
#pragma once

#include <optional>
#include <string_view>

#include "envelope.hpp"

namespace mqb::file {

// Only when id, payload and all metadata are strings without \u escapes, each once, and nothing else is there. `to` has as much
// room as the envelope reader asks for.
std::optional<envelope> read_plain_envelope(std::string_view line, char* to) noexcept;

}  // namespace mqb::file
