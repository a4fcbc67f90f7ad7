// text_forms: what values are as text in a template: ids, times, metadata, bytes. Functions without state; any thread.
#pragma once

#include "core/middlewares/metadata_edit.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core::templates {

// With padding, as all text forms of bytes.
void append_base64(std::string& to, std::string_view bytes);
// As in 0190163d-8694-739b-aea5-966c26f8ad91.
void append_uuid(std::string& to, const std::array<std::uint8_t, 16>& id);
// RFC 3339 in UTC with as many decimals as are not zero; years outside 0000 … 9999 in full, with their sign.
void append_time(std::string& to, std::int64_t seconds, std::uint32_t nanoseconds);
// The one text form that the plugin ABI (metadata.h) gives to each type of metadata; what is no value of its type is bytes.
void append_metadata(std::string& to, const metadata_entry& entry);
// What is not UTF-8 in it becomes U+FFFD, one for each part of a character that may be one.
void append_lossy(std::string& to, std::string_view text);

}  // namespace mqb::core::templates
