#include "frame_reader.hpp"

#include "frame.hpp"
#include "pack_reader.hpp"

#include <mqb/sdk/message_id.hpp>
#include <mqb/sdk/utf8.hpp>
#include <mqb/sdk/uuid.hpp>

namespace mqb::memory {

bool frame_reader::fail(const char* what) { return error_ = what, false; }

parcel* frame_reader::read(block& in, const std::uint8_t* body, std::size_t size) {
    error_.clear();
    metadata_.clear();
    pack_reader from(body, size);
    std::uint32_t count = 0;
    if (!from.array(count)) return fail("it is no array of messages"), nullptr;
    if (count > most_messages) return error_ = sdk::join("it has ", count, " messages; at most ", most_messages), nullptr;
    // A message has at least three bytes, so the claim is believed only as far as the frame could hold it.
    if (count > from.left() / 3) return fail("it ends before its messages do"), nullptr;
    if (count == 0) {
        if (!from.is_at_end()) fail("there is something behind its messages");
        return nullptr;
    }
    in.retain();
    parcel* made = parcel::over(in.owner(), count);
    owner_ = in.owner();
    std::uint64_t payload_bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (read_message(from, made->message(i), payload_bytes)) continue;
        error_ = sdk::join("message ", i + 1, " of ", count, " ", error_);
        return made->release(), nullptr;
    }
    if (!from.is_at_end()) return fail("there is something behind its messages"), made->release(), nullptr;
    made->set_payload_bytes(payload_bytes);
    if (metadata_.empty()) return made;
    block* kept;
    try {
        kept = block::make(metadata_.size());
    } catch (...) {
        made->release();
        throw;
    }
    std::memcpy(kept->bytes(), metadata_.data(), metadata_.size());
    made->own(kept->owner());
    for (std::uint32_t i = 0; i < count; ++i) {
        mqb_buffer& its = made->message(i).metadata;
        if (its.size) its.data = kept->bytes() + reinterpret_cast<std::uintptr_t>(its.data), its.owner = kept->owner();
    }
    if (metadata_.capacity() > (1u << 20)) metadata_ = std::vector<std::uint8_t>{};
    return made;
}

bool frame_reader::read_message(pack_reader& from, mqb_message& to, std::uint64_t& payload_bytes) {
    std::uint32_t parts = 0;
    if (!from.array(parts) || parts < 2 || parts > 3) return fail("is no array of id, payload and metadata");
    to = mqb_message{};
    to.delivery_count = 1;
    std::string_view id, payload;
    std::uint64_t number = 0;
    if (from.left() >= 38 && from.at()[0] == 0xd9 && from.at()[1] == 36 &&
        sdk::get_uuid(reinterpret_cast<const char*>(from.at() + 2), to.id)) {
        from.skip(38);
    } else if (from.text(id)) {
        const sdk::message_id folded = sdk::id_from_text(id);
        std::memcpy(to.id, folded.data(), 16);
    } else if (from.number(number)) {
        for (int i = 0; i < 8; ++i) to.id[8 + i] = static_cast<std::uint8_t>(number >> (56 - 8 * i));
    } else {
        return fail("has no id");
    }
    if (!sdk::message_view(&to).has_id()) sdk::make_uuid(to.id);
    if (!from.bytes(payload)) return fail("has no payload");
    to.payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), owner_};
    payload_bytes += payload.size();
    return parts == 2 || read_metadata(from, to);
}

bool frame_reader::read_metadata(pack_reader& from, mqb_message& to) {
    std::uint32_t entries = 0;
    if (!from.map(entries)) return fail("has no map of metadata");
    if (entries > most_entries) return error_ = sdk::join("has ", entries, " metadata entries; at most ", most_entries), false;
    const std::size_t begin = metadata_.size();
    for (std::uint32_t i = 0; i < entries; ++i) {
        std::string_view key, value;
        if (!from.text(key) || !from.bytes(value)) return fail("has metadata that are not texts");
        if (key.starts_with("mqb.src.")) continue;  // the position at the source of the hop before
        put_entry(key, value);
    }
    const std::size_t size = metadata_.size() - begin;
    if (size > MQB_META_MAX_SIZE) return error_ = sdk::join("has ", size, " bytes of metadata; at most ", MQB_META_MAX_SIZE), false;
    if (size == 0) return true;
    to.metadata = {reinterpret_cast<const std::uint8_t*>(begin), size, nullptr};
    return true;
}

void frame_reader::put_entry(std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > UINT16_MAX || value.size() > MQB_META_MAX_SIZE || !sdk::is_utf8(key)) return void(++left_out_);
    const std::size_t at = metadata_.size();
    metadata_.resize(at + 8 + key.size() + value.size());
    sdk::detail::write_entry(metadata_.data() + at, sdk::is_utf8(value) ? MQB_META_TEXT : MQB_META_BYTES, key, value);
}

}  // namespace mqb::memory
