#include "sidecar.hpp"

#include <algorithm>

#include <mqb/sdk/json.hpp>
#include <mqb/sdk/metadata_text.hpp>
#include <mqb/sdk/utf8.hpp>

namespace mqb::dir_spool {
namespace {

constexpr std::string_view source_prefix = "mqb.src.", tombstone_key = "mqb.kafka.tombstone";

std::optional<sdk::message_id> id_of(const sdk::json_value& from) {
    if (from.is(sdk::json_kind::text)) return sdk::id_from_text(from.text);
    if (from.is(sdk::json_kind::number)) return sdk::id_from_digits(from.text, 10);
    if (!from.is(sdk::json_kind::object) || from.members.size() != 1) return std::nullopt;
    const sdk::json_value* hex = from.find("$oid");
    return hex && hex->is(sdk::json_kind::text) ? sdk::id_from_digits(hex->text, 16) : std::nullopt;
}

// An answer is what is wrong.
std::string_view read_metadata(const sdk::json_value& from, sdk::metadata_block& to) {
    if (!from.is(sdk::json_kind::object)) return "its `metadata` is not an object of texts";
    std::size_t entries = 0;
    for (const sdk::json_member& one : from.members) {
        if (!one.value.is(sdk::json_kind::text)) return "its `metadata` is not an object of texts";
        if (one.name.starts_with(source_prefix)) continue;
        if (one.name.empty() || one.name.size() > UINT16_MAX || one.name.find('\0') != std::string::npos)
            return "a key of its `metadata` is empty, too long or has a zero byte";
        if (++entries > MQB_META_MAX_ENTRIES || to.buffer().size + one.name.size() + one.value.text.size() + 8 > MQB_META_MAX_SIZE)
            return "its `metadata` is more than a message may have";
        to.text(one.name, one.value.text);
    }
    return {};
}

bool is_private(const sdk::metadata_entry& entry) noexcept {
    return entry.type() >= MQB_META_PRIVATE || entry.key().starts_with(source_prefix);
}

void append_text(std::string_view text, std::string& to) {
    if (sdk::is_utf8(text)) return sdk::append_json_text(to, text);
    std::string repaired;
    sdk::append_as_utf8(text, repaired);
    sdk::append_json_text(to, repaired);
}

}  // namespace

sidecar read_sidecar(std::string_view json) {
    sidecar read;
    try {
        const sdk::json_value whole = sdk::parse_json(json, {.bytes = longest_sidecar});
        if (!whole.is(sdk::json_kind::object)) return read.why_broken = "it is not an object", read;
        if (const sdk::json_value* id = whole.find("message_id")) {
            read.id = id_of(*id);
            if (!read.id) return read.why_broken = "its `message_id` is none", read;
        }
        if (const sdk::json_value* metadata = whole.find("metadata")) read.why_broken = read_metadata(*metadata, read.metadata);
    } catch (const sdk::json_error& wrong) { read.why_broken = sdk::join("it is not JSON: ", wrong.what()); }
    return read;
}

void append_sidecar(const mqb_message& message, std::string& to) {
    const bool is_null = message.payload.data == nullptr;
    to += R"({"message_id":")";
    char id[sdk::uuid_text_size];
    to.append(id, static_cast<std::size_t>(sdk::put_uuid(id, message.id) - id));
    to += R"(","metadata":{)";
    bool any = false;
    const auto append = [&](std::string_view key, std::string_view value) {
        if (std::exchange(any, true)) to += ',';
        append_text(key, to);
        to += ':';
        append_text(value, to);
    };
    const sdk::metadata_view block(message.metadata);
    std::string text;
    for (auto at = block.begin(); at != block.end();) {
        const sdk::metadata_entry entry = *at;
        const std::string_view key = entry.key();
        ++at;
        if (is_private(entry) || (is_null && key == tombstone_key)) continue;
        // An object holds a key once: the last entry counts.
        if (std::ranges::any_of(at, block.end(), [key](const sdk::metadata_entry& later) { return later.key() == key; })) continue;
        text.clear();
        sdk::append_text_form(text, entry);
        append(key, text);
    }
    if (is_null) append(tombstone_key, "true");
    to += "}}";
}

}  // namespace mqb::dir_spool
