#include "envelope_reader.hpp"

#include <charconv>
#include <optional>

#include "base64.hpp"
#include "json_string.hpp"
#include "json_walk.hpp"
#include "plain_envelope.hpp"

namespace mqb::file {
namespace {

// The members of an envelope as they stand in the line.
struct members {
    std::optional<std::string_view> id, payload, payload_base64, metadata;
};

// Finds the members; an answer is the reason why the line is no envelope.
std::string_view find_members(json_walk& line, members& found) noexcept {
    if (!line.is_object()) return "it is not an object";
    while (const auto member = line.member()) {
        std::optional<std::string_view>* slot = member->key == "message_id"       ? &found.id
                                                : member->key == "payload"        ? &found.payload
                                                : member->key == "payload_base64" ? &found.payload_base64
                                                : member->key == "metadata"       ? &found.metadata
                                                                                  : nullptr;
        if (slot == nullptr) continue;
        if (slot->has_value()) return "a member stands there twice";
        *slot = member->value;
    }
    if (!found.id) return "it has no `message_id`";
    if (!found.payload && !found.payload_base64) return "it has no `payload`";
    if (found.payload && found.payload_base64) return "it has both `payload` and `payload_base64`";
    return {};
}

// `to` is scratch for a text with escapes.
std::optional<sdk::message_id> read_id(std::string_view value, char* to) noexcept {
    if (const auto inside = string_inside(value)) return sdk::id_from_text({to, static_cast<std::size_t>(put_unescaped(to, *inside) - to)});
    json_walk object(value);
    if (!object.is_object()) return sdk::id_from_digits(value, 10);
    const auto member = object.member();
    if (!member || member->key != "$oid" || object.member()) return std::nullopt;
    const auto hex = string_inside(member->value);
    return hex ? sdk::id_from_digits(*hex, 16) : std::nullopt;
}

// An array of whole numbers 0..255: how many bytes they are.
std::optional<std::size_t> read_byte_array(std::string_view value, char* to) noexcept {
    json_walk array(value);
    if (!array.is_array()) return std::nullopt;
    const char* const start = to;
    while (const auto element = array.element()) {
        unsigned byte = 256;
        const auto [end, error] = std::from_chars(element->data(), element->data() + element->size(), byte);
        if (error != std::errc{} || end != element->data() + element->size() || byte > 255) return std::nullopt;
        *to++ = static_cast<char>(byte);
    }
    return static_cast<std::size_t>(to - start);
}

struct metadata_read {
    char* end;
    bool says_bytes = false;
};

// Writes the block; nothing when it is not an object of texts that a block can hold. The mark for bytes and source positions are
// left out.
std::optional<metadata_read> read_metadata(std::string_view value, char* to) noexcept {
    json_walk object(value);
    if (!object.is_object()) return std::nullopt;
    metadata_read read{to};
    std::size_t entries = 0;
    while (const auto member = object.member()) {
        const auto text = string_inside(member->value);
        if (!text) return std::nullopt;
        char* const key_at = read.end + entry_head;
        char* const value_at = put_unescaped(key_at, member->key);
        const std::string_view key(key_at, static_cast<std::size_t>(value_at - key_at));
        const std::string_view meaning(value_at, static_cast<std::size_t>(put_unescaped(value_at, *text) - value_at));
        if (key.empty() || key.size() > UINT16_MAX || key.find('\0') != std::string_view::npos) return std::nullopt;
        if (key.starts_with(source_prefix)) continue;
        if (key == payload_bytes_key && meaning == "1") {
            read.says_bytes = true;
            continue;
        }
        if (++entries > MQB_META_MAX_ENTRIES) return std::nullopt;
        put_entry_head(read.end, key.size(), meaning.size());
        read.end = value_at + meaning.size();
    }
    if (static_cast<std::size_t>(read.end - to) > MQB_META_MAX_SIZE) return std::nullopt;
    return read;
}

envelope whole_line(std::string_view line, char* to, std::string_view why) noexcept {
    constexpr std::string_view key = original_format_key, value = "raw";
    std::memcpy(to, line.data(), line.size());
    char* const block = to + line.size();
    put_entry_head(block, key.size(), value.size());
    std::memcpy(block + entry_head, key.data(), key.size());
    std::memcpy(block + entry_head + key.size(), value.data(), value.size());
    envelope raw;
    raw.payload = {to, line.size()};
    raw.metadata = {block, entry_head + key.size() + value.size()};
    raw.why_raw = why;
    return raw;
}

}  // namespace

envelope envelope_reader::read(std::string_view line, char* to) {
    if (format_ != record_format::json)
        if (const auto plain = read_plain_envelope(line, to)) return *plain;
    return read_any(line, to);
}

envelope envelope_reader::read_any(std::string_view line, char* to) {
    if (!check_.is_json(line)) return whole_line(line, to, "it is not JSON");
    members found;
    json_walk walk(line);
    if (const auto why = find_members(walk, found); !why.empty()) return whole_line(line, to, why);

    envelope read;
    const auto id = read_id(*found.id, to);
    if (!id) return whole_line(line, to, "its `message_id` is none");
    read.id = *id;

    // Metadata first: it says what an array in `payload` is.
    metadata_read metadata{to};
    if (found.metadata) {
        const auto block = read_metadata(*found.metadata, to);
        if (!block) return whole_line(line, to, "its `metadata` is not an object of texts");
        metadata = *block;
        read.metadata = {to, static_cast<std::size_t>(block->end - to)};
    }

    char* const payload_at = metadata.end;
    std::optional<std::size_t> size;
    if (found.payload_base64) {
        if (const auto inside = string_inside(*found.payload_base64)) {
            char* const text = payload_at + inside->size();
            size = read_base64(payload_at, {text, static_cast<std::size_t>(put_unescaped(text, *inside) - text)});
        }
        if (!size) return whole_line(line, to, "its `payload_base64` is not base64");
    } else if (const auto inside = string_inside(*found.payload); inside && format_ != record_format::json) {
        size = static_cast<std::size_t>(put_unescaped(payload_at, *inside) - payload_at);
    } else if (metadata.says_bytes || format_ != record_format::json) {
        size = read_byte_array(*found.payload, payload_at);
    }
    if (!size) {
        std::memcpy(payload_at, found.payload->data(), found.payload->size());
        size = found.payload->size();
    }
    read.payload = {payload_at, *size};
    return read;
}

}  // namespace mqb::file
