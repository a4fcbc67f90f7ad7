// batch: the messages of one receive, with their bytes in one slab that is used again. batch_pool makes them.
#pragma once

#include <mqb/sdk/metadata_writer.hpp>
#include <mqb/sdk/receive_call.hpp>
#include <mqb/sdk/slab.hpp>
#include <mqb/sdk/uuid.hpp>

#include <vector>

namespace mqb::sdk {

class batch;

// The message that was added last, to be completed: batch.add(payload).lane(3).text("key", "a").number("n", 5).
class added_message : public metadata_writer<added_message> {
public:
    added_message(batch& in, std::uint32_t index) noexcept : batch_(&in), index_(index) {}

    std::uint32_t index() const noexcept { return index_; }
    mqb_message& raw() const noexcept;
    added_message& id(const std::uint8_t* bytes16) noexcept { return std::memcpy(raw().id, bytes16, 16), *this; }
    added_message& lane(std::uint64_t lane) noexcept { return raw().lane = lane, *this; }
    added_message& delivery_count(std::uint32_t count) noexcept { return raw().delivery_count = count, *this; }
    // A whole block, instead of entry by entry. Copied.
    added_message& metadata(metadata_view block);
    void put_entry(int type, std::string_view key, std::string_view value);

private:
    batch* batch_;
    std::uint32_t index_;
};

// States: open (being filled) -> given -> open again. Threads: one at a time while open; given: only read, until it is freed.
class batch {
public:
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    std::uint32_t size() const noexcept { return count_; }
    std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
    const mqb_message& operator[](std::uint32_t index) const noexcept { return messages_[index]; }
    // Whether the call takes one more message with `size` bytes of payload.
    bool takes(const receive_call& call, std::uint64_t size = 0) const noexcept { return call.fits(count_, payload_bytes_, size); }

    // Copies the payload into the slab. A message that has no id when the batch is given gets one (UUIDv7), unless id() is called.
    added_message add(byte_view payload) {
        std::uint8_t* to = prepare(payload.size());
        if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
        return add_part(keep(payload.size()), payload.size());
    }
    added_message add(std::string_view payload) { return add(bytes_of(payload)); }
    added_message add_null() { return push({nullptr, 0, nullptr}); }
    // A record of which no message can be made: too long, cut, of another shape. The host never sends it on: it ends in the dead
    // letters with this reason, or as the route's on_error says, and is settled like any other.
    added_message add_broken(byte_view record, std::string_view reason);
    added_message add_broken(std::string_view record, std::string_view reason) { return add_broken(bytes_of(record), reason); }
    // Without copying: bytes with an owner of the plugin's, of which one count passes to the batch.
    added_message add_owned(const mqb_buffer& payload) {
        if (payload.owner) owned_.push_back(payload.owner);
        return push(payload);
    }

    // Filling the slab in place: prepare room, write into it, keep what was written, and add messages that are parts of it.
    // The pointer is good until the next prepare, add or metadata; the offset that keep returns is good for ever.
    std::uint8_t* prepare(std::size_t size) {
        if (size > slab_->capacity - used_) grow(size);
        return slab_->bytes() + used_;
    }
    std::size_t keep(std::size_t size) noexcept {
        const std::size_t at = used_;
        used_ += size;
        return at;
    }
    std::size_t room() const noexcept { return slab_->capacity - used_; }  // that prepare gives without growing
    std::uint8_t* at(std::size_t offset) noexcept { return slab_->bytes() + offset; }
    added_message add_part(std::size_t offset, std::size_t size) { return push({slab_->bytes() + offset, size, &slab_->owner}); }

    // Takes back the last message, with its metadata but without the room of its bytes.
    void pop() noexcept { payload_bytes_ -= messages_[--count_].payload.size; }

protected:
    batch() = default;
    ~batch() { release_memory(); }

private:
    // The host would have to copy the whole array to make them.
    void make_ids() noexcept {
        std::uint32_t i = 0;
        while (i < count_ && has_id(messages_[i])) ++i;
        if (i == count_) return;
        uuid_range ids(count_ - i);
        for (; i < count_; ++i)
            if (!has_id(messages_[i])) ids.make(messages_[i].id);
    }
    static bool has_id(const mqb_message& m) noexcept {
        std::uint64_t half[2];
        std::memcpy(half, m.id, sizeof half);
        return (half[0] | half[1]) != 0;
    }

    template <class>
    friend class batch_pool;
    template <class>
    friend class open_batch;
    friend class added_message;
    friend class detail::return_stack<batch>;
    friend struct batch_access;

    static constexpr std::uint32_t living = 0x6d716221, idle = 0x6d71622d;

    added_message push(const mqb_buffer& payload) {
        if (count_ == messages_.size()) messages_.resize(count_ ? count_ * 2 : 16);
        mqb_message& message = messages_[count_];
        message = mqb_message{};
        message.payload = payload;
        payload_bytes_ += payload.size;
        return {*this, count_++};
    }
    // A larger slab, with everything moved: nobody else has seen the bytes yet.
    void grow(std::size_t more) {
        std::size_t size = slab_->capacity * 2;
        if (size < used_ + more) size = used_ + more;
        detail::slab* larger = home_->take(size);
        std::memcpy(larger->bytes(), slab_->bytes(), used_);
        for (std::uint32_t i = 0; i < count_; ++i) move(messages_[i].payload, larger), move(messages_[i].metadata, larger);
        slab_->release();
        slab_ = larger;
    }
    void move(mqb_buffer& buffer, detail::slab* to) noexcept {
        if (buffer.owner != &slab_->owner) return;
        buffer.data = to->bytes() + (buffer.data - slab_->bytes());
        buffer.owner = &to->owner;
    }
    void begin(std::size_t expected) {
        if (!slab_) slab_ = home_->take(expected);
        used_ = 0, count_ = 0, payload_bytes_ = 0;
    }
    // The host, or an open batch that was not given, has no use for it any more.
    void end(std::size_t expected) noexcept {
        release_owned();
        if (slab_ && (!slab_->is_only_ours() || (slab_->capacity > detail::slab_home::small && slab_->capacity / 8 > expected))) {
            slab_->release();
            slab_ = nullptr;
        }
    }
    void release_owned() noexcept {
        for (mqb_owner* owner : owned_) owner->release(owner);
        owned_.clear();
    }
    void release_memory() noexcept {
        release_owned();
        if (slab_) slab_->release();
        slab_ = nullptr;
    }

    std::uint32_t state_ = idle;
    std::uint32_t count_ = 0;
    void (*free_)(batch*) = nullptr;  // back to the pool that it is from
    void* pool_ = nullptr;
    batch* next = nullptr;
    detail::slab_home* home_ = nullptr;
    detail::slab* slab_ = nullptr;
    std::size_t used_ = 0;
    std::uint64_t payload_bytes_ = 0;
    std::vector<mqb_message> messages_;  // the first count_ of them
    std::vector<mqb_owner*> owned_;      // a count each, dropped when the batch is freed
};

inline mqb_message& added_message::raw() const noexcept { return batch_->messages_[index_]; }
inline void added_message::put_entry(int type, std::string_view key, std::string_view value) {
    const std::size_t size = 8 + key.size() + value.size();
    if (key.empty() || key.size() > UINT16_MAX || value.size() > MQB_META_MAX_SIZE)
        throw std::length_error("a metadata key has 1 to 65535 bytes, a value at most 16 MiB");
    batch_->prepare(raw().metadata.size + size);
    mqb_buffer& block = raw().metadata;
    std::uint8_t* tail = batch_->slab_->bytes() + batch_->used_;
    if (block.size && block.data + block.size != tail) {  // something was kept in between: the block goes to the end
        std::memcpy(tail, block.data, block.size);
        block.data = tail;
        batch_->keep(block.size);
        tail += block.size;
    }
    if (!block.size) block.data = tail, block.owner = &batch_->slab_->owner;
    detail::write_entry(tail, type, key, value);
    block.size += size;
    batch_->keep(size);
}
inline added_message& added_message::metadata(metadata_view block) {
    const mqb_buffer& from = block.raw();
    if (!from.size) return *this;
    std::uint8_t* to = batch_->prepare(from.size);
    std::memcpy(to, from.data, from.size);
    raw().metadata = {to, from.size, &batch_->slab_->owner};
    batch_->keep(from.size);
    return *this;
}

inline added_message batch::add_broken(byte_view record, std::string_view reason) { return add(record).text(MQB_META_BROKEN_KEY, reason); }

// What the edge does with a batch that it knows only as a pointer.
struct batch_access {
    static bool is_living(const batch* one) noexcept { return one->state_ == batch::living; }
    static void free(batch* one) { one->free_(one); }
};

}  // namespace mqb::sdk
