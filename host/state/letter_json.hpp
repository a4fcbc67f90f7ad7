// letter_json: a dead letter as JSON, in the shape that scripts rely on.
#pragma once

#include "host/state/letter.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace mqb::state {

// Takes secrets out of a text.
using text_filter = std::function<std::string(std::string_view)>;

// {"id","route","endpoint","class","error","attempts","first_at","last_at","source","size"}; times are RFC 3339 in UTC.
// `clean` sees every text but payload and metadata.
[[nodiscard]] std::string to_json(const letter& head, const text_filter& clean);
// The same and "may_have_arrived", "payload_base64" (null: a null payload) and "metadata": [{"key","type","value"}], in order. type: null, bytes, text, bool,
// int64, double, time, json, or the number of another type. value: base64 of bytes, of other types and of what is not valid; a double
// that JSON has no number for as "nan", "inf", "-inf"; a time as RFC 3339; the text of json as a string.
[[nodiscard]] std::string to_json(const letter& head, const letter_content& content, const text_filter& clean);

[[nodiscard]] std::string base64(std::string_view bytes);
// As many decimals as are not zero.
[[nodiscard]] std::string rfc3339(std::int64_t seconds, std::uint32_t nanoseconds);
[[nodiscard]] std::string rfc3339(std::uint64_t ns);
// One line of text for a metadata value: what "value" above is, without quotes.
struct metadata_entry;
[[nodiscard]] std::string type_name(const metadata_entry& entry);
[[nodiscard]] std::string value_text(const metadata_entry& entry);

}  // namespace mqb::state
