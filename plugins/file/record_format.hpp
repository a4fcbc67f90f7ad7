// Record format: what a record looks like in the file.
#pragma once

#include <string_view>

namespace mqb::file {

enum class record_format { normal, json, text, raw, csv };

// Metadata that says how a payload was, or is to be, written.
inline constexpr std::string_view original_format_key = "mq_bridge.original_format";  // raw: the line was no envelope
inline constexpr std::string_view payload_bytes_key = "mq_bridge.payload_bytes";      // 1: the array in `payload` is bytes
inline constexpr std::string_view source_prefix = "mqb.src.";                         // never crosses a file

}  // namespace mqb::file
