#include "parcel.hpp"

#include <mqb/sdk/metadata_writer.hpp>
#include <mqb/sdk/uuid.hpp>

#include <cstdlib>
#include <new>
#include <vector>

namespace mqb::memory {

namespace {

// Positions at the source of a hop are that hop's matter: they are not passed on.
bool is_of_this_hop(std::string_view key) { return key.starts_with("mqb.src."); }

// `asks`: a message that wants an answer has a correlation_id.
bool has_to_change(const mqb_buffer& block, bool asks) {
    std::size_t at = 0;
    mqb_meta entry;
    bool has_correlation = false;
    while (mqb_meta_next(&block, &at, &entry) == 1) {
        if (is_of_this_hop(sdk::view(entry.key))) return true;
        if (asks && sdk::view(entry.key) == "correlation_id") has_correlation = true;
    }
    return asks && !has_correlation;
}

void add_correlation(sdk::metadata_block& block, const std::uint8_t* id) {
    if (block.view().get("correlation_id")) return;
    block.text("correlation_id", sdk::uuid_text(id));
}

// What a send uses of one owner, and whether that is enough to keep the owner alive: of a large block in which a small message
// stands, the message is copied.
struct used_owner {
    mqb_owner* owner;
    std::uint64_t bytes;
    bool is_kept;
};

// The owners of a send, and which buffer has which. An owner that comes again after many others may be listed twice; that costs a
// count more and nothing else. Threads: one for each thread, used again by its next send.
class owners_of_send {
public:
    static owners_of_send& empty() {
        static thread_local owners_of_send one;
        one.list_.clear();
        one.of_buffer_.clear();
        return one;
    }
    // Once for each buffer, in order.
    void add(const mqb_buffer& buffer) {
        if (!buffer.owner) return of_buffer_.push_back(none);
        std::size_t i = list_.size();
        const std::size_t oldest = i > 4 ? i - 4 : 0;
        while (i > oldest && list_[i - 1].owner != buffer.owner) --i;
        if (i == oldest) list_.push_back({buffer.owner, 0, false}), i = list_.size();
        list_[i - 1].bytes += buffer.size;
        of_buffer_.push_back(static_cast<std::uint32_t>(i - 1));
    }
    void decide() {
        for (used_owner& one : list_) one.is_kept = one.bytes * 4 >= one.owner->total_size;
    }
    bool is_kept(std::size_t buffer) const { return of_buffer_[buffer] != none && list_[of_buffer_[buffer]].is_kept; }
    const std::vector<used_owner>& all() const { return list_; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    std::vector<used_owner> list_;
    std::vector<std::uint32_t> of_buffer_;  // place in list_
};

// A message whose metadata has to change, which is rare.
struct cleaned_block {
    std::uint32_t index;
    sdk::metadata_block block;
    std::uint8_t id[16];  // of a message that asks, made early because it is in the block
};

// Where the bytes of a buffer that is not kept go.
class copier {
public:
    copier(std::uint8_t* to, mqb_owner* owner) noexcept : at_(to), owner_(owner) {}
    void operator()(mqb_buffer& buffer) noexcept {
        if (!buffer.data) return;
        if (buffer.size) std::memcpy(at_, buffer.data, buffer.size);
        buffer.data = at_;
        buffer.owner = owner_;
        at_ += buffer.size;
    }

private:
    std::uint8_t* at_;
    mqb_owner* owner_;
};

}  // namespace

// The usual send: all payloads are parts of one block, all metadata of one, and nothing has to change. Null: it is another one.
parcel* parcel::make_shared_alike(const mqb_list& messages) {
    const mqb_message* const first = mqb_message_at(&messages, 0);
    mqb_owner* const payloads = first->payload.owner;
    mqb_owner* const metadata = first->metadata.owner;
    if (!payloads || messages.size < sizeof(mqb_message)) return nullptr;
    std::uint64_t payload_bytes = 0, metadata_bytes = 0;
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        const mqb_message& one = *mqb_message_at(&messages, i);
        payload_bytes += one.payload.size;
        metadata_bytes += one.metadata.size;
        if (one.payload.owner != payloads || one.metadata.owner != metadata) return nullptr;
        if (one.metadata.size != 0 && (!metadata || has_to_change(one.metadata, false))) return nullptr;
    }
    const std::uint64_t used = payload_bytes + (metadata == payloads ? metadata_bytes : 0);
    if (used * 4 < payloads->total_size) return nullptr;
    const bool has_second = metadata && metadata != payloads;
    if (has_second && metadata_bytes * 4 < metadata->total_size) return nullptr;

    parcel* made = allocate(messages.count, messages.size, 2, 0);
    made->payload_bytes_ = payload_bytes;
    payloads->retain(payloads);
    made->own(payloads);
    if (has_second) metadata->retain(metadata), made->own(metadata);
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        mqb_message& to = made->message(i);
        std::memcpy(static_cast<void*>(&to), mqb_at(&messages, i), sizeof(mqb_message));
        if (messages.size > sizeof(mqb_message))
            std::memcpy(static_cast<std::uint8_t*>(made->element(i)) + sizeof(mqb_message),
                        static_cast<const std::uint8_t*>(mqb_at(&messages, i)) + sizeof(mqb_message), messages.size - sizeof(mqb_message));
        if (!sdk::message_view(&to).has_id()) sdk::make_uuid(to.id);
        to.lane = 0;
        to.delivery_count = 1;
    }
    return made;
}

parcel* parcel::make(const mqb_list& messages, bool asks) {
    if (!asks && messages.count != 0)
        if (parcel* made = make_shared_alike(messages)) return made;
    owners_of_send& owners = owners_of_send::empty();
    std::vector<cleaned_block> cleaned;
    std::size_t copied = 0, payload = 0;
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        const mqb_message* message = mqb_message_at(&messages, i);
        payload += message->payload.size;
        owners.add(message->payload);
        if (!has_to_change(message->metadata, asks)) {
            owners.add(message->metadata);
            continue;
        }
        owners.add(mqb_buffer{});
        cleaned.push_back({i, {}, {}});
        cleaned.back().block.append_without(sdk::metadata_view(message->metadata), is_of_this_hop);
        if (asks) {
            std::memcpy(cleaned.back().id, message->id, 16);
            if (!sdk::message_view(message).has_id()) sdk::make_uuid(cleaned.back().id);
            add_correlation(cleaned.back().block, cleaned.back().id);
        }
        copied += cleaned.back().block.buffer().size;
    }
    owners.decide();
    std::size_t clean_at = 0;
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        const mqb_message* message = mqb_message_at(&messages, i);
        if (!owners.is_kept(2 * i)) copied += message->payload.size;
        if (clean_at < cleaned.size() && cleaned[clean_at].index == i)
            ++clean_at;
        else if (!owners.is_kept(2 * i + 1))
            copied += message->metadata.size;
    }

    parcel* made = allocate(messages.count, messages.size, owners.all().size(), copied);
    made->payload_bytes_ = payload;
    for (const used_owner& one : owners.all()) {
        if (!one.is_kept) continue;
        one.owner->retain(one.owner);
        made->owners_[made->owner_count_++] = one.owner;
        made->charge_ += one.owner->total_size;
    }
    copier copy(reinterpret_cast<std::uint8_t*>(made->owners_ + owners.all().size()), made);
    clean_at = 0;
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        mqb_message& to = made->message(i);
        std::memcpy(static_cast<void*>(&to), mqb_at(&messages, i), messages.size);
        if (!sdk::message_view(&to).has_id()) sdk::make_uuid(to.id);
        to.lane = 0;
        to.delivery_count = 1;
        if (!owners.is_kept(2 * i)) copy(to.payload);
        if (clean_at < cleaned.size() && cleaned[clean_at].index == i) {
            if (asks) std::memcpy(to.id, cleaned[clean_at].id, 16);
            to.metadata = cleaned[clean_at++].block.buffer();
            copy(to.metadata);
        } else if (!owners.is_kept(2 * i + 1)) {
            copy(to.metadata);
        }
    }
    return made;
}

parcel* parcel::over(mqb_owner* block, std::uint32_t count) {
    parcel* made;
    try {
        made = allocate(count, sizeof(mqb_message), 2, 0);
    } catch (...) {
        block->release(block);
        throw;
    }
    made->own(block);
    return made;
}

parcel* parcel::again(std::uint32_t i) {
    const mqb_list one = mqb_list_of(element(i), 1, element_size_);
    parcel* copy = make(one);
    copy->message(0).delivery_count = message(i).delivery_count + 1;
    copy->set_place(place(i));
    copy->told = told;
    copy->told_first_ = told_index(i);
    return copy;
}

parcel* parcel::allocate(std::uint32_t count, std::size_t message_size, std::size_t owners, std::size_t bytes) {
    const auto element_size = static_cast<std::uint16_t>((message_size + 7u) & ~std::size_t{7});
    const std::size_t elements = std::size_t{count} * element_size;
    const std::size_t size = sizeof(parcel) + elements + owners * sizeof(mqb_owner*) + bytes;
    void* memory = std::malloc(size);
    if (!memory) throw std::bad_alloc();
    auto* made = new (memory) parcel;
    static_cast<mqb_owner&>(*made) = {sizeof(mqb_owner), 0, size, retained, released};
    made->count_ = count;
    made->element_size_ = element_size;
    made->charge_ = size;
    made->elements_ = static_cast<std::uint8_t*>(memory) + sizeof(parcel);
    made->owners_ = reinterpret_cast<mqb_owner**>(made->elements_ + elements);
    return made;
}

parcel::~parcel() {
    for (std::uint32_t i = 0; i < owner_count_; ++i) owners_[i]->release(owners_[i]);
}

void parcel::retained(mqb_owner* owner) { static_cast<parcel*>(owner)->holders_.fetch_add(1, std::memory_order_relaxed); }

void parcel::released(mqb_owner* owner) {
    auto* self = static_cast<parcel*>(owner);
    if (self->holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    self->~parcel();
    std::free(self);
}

}  // namespace mqb::memory
