#include "frame_writer.hpp"

#include "frame.hpp"

#include <mqb/sdk/message_id.hpp>
#include <mqb/sdk/metadata_text.hpp>
#include <mqb/sdk/uuid.hpp>

#include <algorithm>
#include <cstring>

namespace mqb::memory {

void byte_store::grow(std::size_t more) {
    const std::size_t larger = std::max(capacity_ * 2, size_ + more);
    std::unique_ptr<std::uint8_t[]> moved(new std::uint8_t[larger]);
    if (size_) std::memcpy(moved.get(), bytes_.get(), size_);
    bytes_ = std::move(moved);
    capacity_ = larger;
}

namespace {

std::uint8_t* put_number(std::uint8_t* to, std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) *to++ = static_cast<std::uint8_t>(value >> (8 * i));
    return to;
}

// The head of an array or map (`fix`: of up to 15) in as few bytes as it takes.
std::uint8_t* put_head(std::uint8_t* to, std::uint8_t fix, std::uint8_t wide, std::uint32_t count) {
    if (count < 16) return *to = static_cast<std::uint8_t>(fix | count), to + 1;
    if (count <= UINT16_MAX) return *to = wide, put_number(to + 1, count, 2);
    return *to = static_cast<std::uint8_t>(wide + 1), put_number(to + 1, count, 4);
}

std::uint8_t* put_sized(std::uint8_t* to, std::uint8_t narrow, std::string_view value) {
    if (value.size() <= UINT8_MAX)
        *to++ = narrow, *to++ = static_cast<std::uint8_t>(value.size());
    else if (value.size() <= UINT16_MAX)
        *to++ = static_cast<std::uint8_t>(narrow + 1), to = put_number(to, value.size(), 2);
    else
        *to++ = static_cast<std::uint8_t>(narrow + 2), to = put_number(to, value.size(), 4);
    if (!value.empty()) std::memcpy(to, value.data(), value.size());
    return to + value.size();
}

std::uint8_t* put_text(std::uint8_t* to, std::string_view value) {
    if (value.size() >= 32) return put_sized(to, 0xd9, value);
    *to++ = static_cast<std::uint8_t>(0xa0 | value.size());
    if (!value.empty()) std::memcpy(to, value.data(), value.size());
    return to + value.size();
}

constexpr std::size_t longest_head = 5;
constexpr std::string_view tombstone = "mqb.kafka.tombstone";

// A map knows a key once and its value as text: of repeated keys the last one counts. Private types and positions stay here.
struct text_entries {
    std::vector<std::pair<std::string_view, std::string>> all;

    void read(const sdk::message_view& message) {
        all.clear();
        for (const sdk::metadata_entry& entry : message.metadata()) {
            if (entry.key().starts_with("mqb.src.") || entry.type() >= 128) continue;
            put(entry.key(), entry);
        }
        if (message.is_null()) {
            std::erase_if(all, [](const auto& one) { return one.first == tombstone; });
            all.emplace_back(tombstone, "true");
        }
    }
    std::size_t size() const {
        std::size_t total = 0;
        for (const auto& [key, value] : all) total += 2 * longest_head + key.size() + value.size();
        return total;
    }

private:
    void put(std::string_view key, const sdk::metadata_entry& entry) {
        // Few keys: a walk. Many: the later of two equal ones wins in every reader of maps.
        if (all.size() < 64)
            for (auto& [known, value] : all)
                if (known == key) return value.clear(), sdk::append_text_form(value, entry);
        all.emplace_back(key, sdk::text_form(entry));
    }
};

class writer {
public:
    writer(const sdk::send_call& call, framed_send& to) : call_(call), to_(to), ids_(call.size()) {}

    void run() {
        for (std::uint32_t i = 0; i < call_.size(); ++i) add(i);
        end_frame(call_.size());
    }

private:
    void add(std::uint32_t index) {
        const sdk::message_view message = call_[index];
        const bool has_entries = !message.metadata().empty() || message.is_null();
        std::size_t most = 1 + 2 + sdk::uuid_text_size + longest_head + message.payload().size() + longest_head;
        if (has_entries) {
            entries_.read(message);
            most += entries_.size();
        }
        if (most > longest_frame - 2 * longest_head)
            return refuse(index, sdk::join("a message of ", most, " bytes: a frame has at most ", longest_frame));
        if (has_entries && entries_.all.size() > most_entries)
            return refuse(index, sdk::join(entries_.all.size(), " metadata entries: a message has at most ", most_entries));
        if (is_open_ && (to_.bytes.size() - begin_ + most > longest_frame || count_ == most_messages)) end_frame(index);
        if (!is_open_) begin_frame(index);
        std::uint8_t* at = to_.bytes.prepare(most);
        const std::uint8_t* const from = at;
        const bool has_map = has_entries && !entries_.all.empty();
        *at++ = has_map ? 0x93 : 0x92;
        *at++ = 0xd9;
        *at++ = sdk::uuid_text_size;
        std::uint8_t made[16];
        if (!message.has_id()) ids_.make(made);
        at = reinterpret_cast<std::uint8_t*>(sdk::put_uuid(reinterpret_cast<char*>(at), message.has_id() ? message.id().data() : made));
        at = put_sized(at, 0xc4, message.text());
        if (has_map) {
            at = put_head(at, 0x80, 0xde, static_cast<std::uint32_t>(entries_.all.size()));
            for (const auto& [key, value] : entries_.all) at = put_text(put_text(at, key), value);
        }
        to_.bytes.keep(static_cast<std::size_t>(at - from));
        ++count_;
    }
    void refuse(std::uint32_t index, const std::string& why) {
        call_.refused(index, why);
        to_.refused.push_back(index);
    }
    // The number of messages is written when it is known, into the room that the most of them would need.
    void begin_frame(std::uint32_t index) {
        begin_ = to_.bytes.size();
        first_ = index;
        count_ = 0;
        is_open_ = true;
        head_ = call_.size() - index < 16 ? 1 : call_.size() - index <= UINT16_MAX ? 3 : 5;
        to_.bytes.prepare(length_size + head_);
        to_.bytes.keep(length_size + head_);
    }
    void end_frame(std::uint32_t behind) {
        if (!is_open_) return;
        is_open_ = false;
        std::uint8_t* const begin = to_.bytes.data() + begin_;
        if (head_ == 1)
            begin[length_size] = static_cast<std::uint8_t>(0x90 | count_);
        else
            begin[length_size] = head_ == 3 ? 0xdc : 0xdd, put_number(begin + length_size + 1, count_, static_cast<int>(head_ - 1));
        put_length(begin, static_cast<std::uint32_t>(to_.bytes.size() - begin_ - length_size));
        to_.parts.push_back({to_.bytes.size(), first_, behind});
    }

    const sdk::send_call& call_;
    framed_send& to_;
    sdk::uuid_range ids_;
    text_entries entries_;
    std::size_t begin_ = 0, head_ = 0;
    std::uint32_t first_ = 0, count_ = 0;
    bool is_open_ = false;
};

}  // namespace

void write_frames(const sdk::send_call& call, framed_send& to) {
    to.clear();
    writer(call, to).run();
}

}  // namespace mqb::memory
