#include "parcel.hpp"

#include <mqb/metadata.h>

#include <cstring>

namespace mqb::conformance {
namespace {
std::atomic<long> everybody{0};
}

kit_owner::kit_owner(std::size_t size) : face_{{sizeof(mqb_owner), 0, size, on_retain, on_release}, this}, memory_(size) { ++everybody; }
kit_owner& kit_owner::make(std::size_t size) { return *new kit_owner(size); }
long kit_owner::all_held() { return everybody; }

void kit_owner::on_retain(mqb_owner* o) {
    kit_owner& self = *reinterpret_cast<face*>(o)->self;
    ++everybody;
    if (self.count_.fetch_add(1) <= 0) note(rules::counted, "retain of an owner whose last count was given up before");
}
void kit_owner::on_release(mqb_owner* o) {
    kit_owner& self = *reinterpret_cast<face*>(o)->self;
    const long before = self.count_.fetch_sub(1);
    --everybody;
    // The last count before the kit has dropped its own is the kit's.
    if (before < 1 || (before == 1 && !self.dropped_)) return note(rules::counted, "an owner was released more often than retained");
    if (before == 1) self.memory_.destroy();
}

void kit_owner::drop() {
    dropped_ = true;
    if (count_ > 0) on_release(handle());  // else somebody has taken it, which was noted
}

parcel::parcel(const std::vector<letter>& letters, lending how) : messages_(static_cast<std::uint32_t>(letters.size())) {
    std::size_t total = 0;
    for (const letter& l : letters) total += (l.payload ? l.payload->size() : 0) + l.metadata.size();
    if (how == lending::counted && !letters.empty()) owner_ = &kit_owner::make(total + 1);
    unsigned char* at = owner_ ? owner_->data() : nullptr;
    auto lend = [&](std::string_view bytes) -> mqb_buffer {
        if (owner_) {
            if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
            mqb_buffer b{at, bytes.size(), owner_->handle()};
            at += bytes.size();
            return b;
        }
        guarded g(bytes.empty() ? std::string_view("?") : bytes);
        borrowed_.push_back(g);
        return {g.data(), bytes.size(), nullptr};
    };
    for (std::uint32_t i = 0; i < letters.size(); ++i) {
        mqb_message& m = messages_[i];
        const letter& l = letters[i];
        if (l.id.size() == 16) std::memcpy(m.id, l.id.data(), 16);
        m.lane = l.lane;
        m.delivery_count = l.delivery_count;
        if (l.payload) m.payload = lend(*l.payload);
        if (!l.metadata.empty()) m.metadata = lend(l.metadata);
    }
    before_ = messages_.bytes();
}

void parcel::take_back(const char* what) {
    if (messages_.bytes() != before_) note(rules::not_written, std::string(what) + " wrote to the array of messages");
    if (messages_.count()) messages_.memory().destroy();
    for (const guarded& g : borrowed_) g.destroy();
    if (owner_) owner_->drop();
    owner_ = nullptr;
    borrowed_.clear();
    checkpoint();
}

std::string uuid_of(std::uint64_t number) {
    std::string id(16, '\0');
    static const unsigned char head[8] = {0x01, 0x90, 0x5a, 0x5a, 0x5a, 0x5a, 0x70, 0x01};  // version 7
    std::memcpy(id.data(), head, 8);
    for (int i = 0; i < 8; ++i) id[static_cast<std::size_t>(15 - i)] = static_cast<char>(number >> (8 * i));
    id[8] = static_cast<char>(0x80 | (id[8] & 0x3f));
    return id;
}
std::string meta_entry(int type, std::string_view key, std::string_view value) {
    std::string out(8 + key.size() + value.size(), '\0');
    mqb_meta_put(reinterpret_cast<std::uint8_t*>(out.data()), out.size(), 0, type, {key.data(), key.size()}, value.data(), value.size());
    return out;
}
std::string meta_text(std::string_view key, std::string_view value) { return meta_entry(MQB_META_TEXT, key, value); }

std::string block_as_text(std::string_view block) {
    const mqb_buffer b{reinterpret_cast<const std::uint8_t*>(block.data()), block.size(), nullptr};
    std::string out;
    std::size_t at = 0;
    mqb_meta m;
    while (mqb_meta_next(&b, &at, &m) == 1)
        out += (out.empty() ? "" : ", ") + std::string(m.key.data, m.key.size) + ":" + std::to_string(m.type) + "(" +
               std::to_string(m.value.size) + ")";
    return "[" + out + "]";
}

}  // namespace mqb::conformance
