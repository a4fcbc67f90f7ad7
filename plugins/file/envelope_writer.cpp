#include "envelope_writer.hpp"

#include <algorithm>
#include <charconv>

#include <mqb/sdk/metadata_text.hpp>

#include <mqb/sdk/message_id.hpp>
#include "base64.hpp"
#include "json_delimiter.hpp"
#include "json_string.hpp"
#include "utf8.hpp"

namespace mqb::file {
namespace {

// Where there is no payload at all, a Kafka publisher behind the file reads this.
constexpr std::string_view tombstone_key = "mqb.kafka.tombstone";

// In pieces, so that the worst case is not reserved for the whole of a large text.
void append_inside(std::string_view text, text_buffer& to) {
    constexpr std::size_t piece = 4096;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        const std::string_view next = text.substr(0, piece);
        to.written(put_json_text(to.room(next.size() * longest_escape), next));
    }
}

void append_base64(std::string_view bytes, text_buffer& to) { to.written(put_base64(to.room(base64_size(bytes.size())), bytes)); }

void append_byte_array(std::string_view bytes, text_buffer& to) {
    to.append('[');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        char* at = to.room(4);
        if (i > 0) *at++ = ',';
        to.written(std::to_chars(at, at + 3, static_cast<unsigned>(static_cast<unsigned char>(bytes[i]))).ptr);
    }
    to.append(']');
}

bool is_private(const sdk::metadata_entry& entry) noexcept {
    return entry.type() >= MQB_META_PRIVATE || entry.key().starts_with(source_prefix);
}

}  // namespace

void envelope_writer::append(const mqb_message& message, text_buffer& to) {
    const std::size_t begin = to.size();
    const std::string_view payload = sdk::view(message.payload);
    bool as_bytes = false;

    to.append(R"({"message_id":")");
    to.written(sdk::put_uuid(to.room(sdk::uuid_text_size), message.id));
    if (format_ == record_format::json) {
        as_bytes = payload.empty() || !check_.is_json(payload);
    } else {
        as_bytes = !is_utf8(payload);
    }
    if (as_bytes && format_ == record_format::normal) {
        as_bytes = false;
        to.append(R"(","payload_base64":")");
        append_base64(payload, to);
        to.append('"');
    } else if (as_bytes) {
        to.append(R"(","payload":)");
        append_byte_array(payload, to);
    } else if (format_ == record_format::json) {
        to.append(R"(","payload":)");
        const std::size_t payload_at = to.size();
        to.append(payload);
        free_of_delimiter(to, payload_at, '\n');
    } else {
        to.append(R"(","payload":")");
        append_inside(payload, to);
        to.append('"');
    }
    append_metadata(sdk::metadata_view(message.metadata), as_bytes, message.payload.data == nullptr, to);
    to.append('}');
    if (delimiter_ != '\n') free_of_delimiter(to, begin, delimiter_);
    to.append(delimiter_);
}

void envelope_writer::append_metadata(sdk::metadata_view block, bool as_bytes, bool no_payload, text_buffer& to) {
    bool any = false;
    const auto append = [&](std::string_view key, std::string_view value) {
        to.append(any ? R"(,")" : R"(,"metadata":{")");
        any = true;
        append_inside(key, to);
        to.append(R"(":")");
        append_inside(value, to);
        to.append('"');
    };
    const auto as_utf8 = [](std::string_view text, std::string& repaired) -> std::string_view {
        if (is_utf8(text)) return text;
        repaired.clear();
        append_as_utf8(text, repaired);
        return repaired;
    };
    std::string repaired_key, repaired_value;
    for (auto at = block.begin(); at != block.end();) {
        const sdk::metadata_entry entry = *at;
        const std::string_view key = entry.key();
        ++at;
        if (is_private(entry) || key == payload_bytes_key || (no_payload && key == tombstone_key)) continue;
        // JSON holds a key once: the last entry counts.
        if (std::ranges::any_of(at, block.end(), [key](const sdk::metadata_entry& later) { return later.key() == key; })) continue;
        scratch_.clear();
        sdk::append_text_form(scratch_, entry);
        append(as_utf8(key, repaired_key), as_utf8(scratch_, repaired_value));
    }
    if (no_payload) append(tombstone_key, "true");
    if (as_bytes) append(payload_bytes_key, "1");
    if (any) {
        to.append('}');
    } else if (format_ != record_format::normal) {
        to.append(R"(,"metadata":{})");
    }
}

}  // namespace mqb::file
