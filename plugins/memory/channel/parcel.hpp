// parcel: the messages of one send, kept by the channel: their buffers retained where they have owners, copied where not.
#pragma once

#include "settlement.hpp"

#include <mqb/sdk/send_call.hpp>

#include <atomic>
#include <memory>

namespace mqb::memory {

// One block: parcel elements owners bytes. It is the owner of the bytes that were copied.
// Threads: counted, [any]; the elements are written before it is shared and, where one is returned, by the holder of that message.
class parcel : private mqb_owner {
public:
    // Everything of a send, with the ids that are missing; `asks`: and with the `correlation_id`s. Throws bad_alloc.
    static parcel* make(const mqb_list& messages, bool asks = false);
    // Of `count` messages, all zero, which are parts of one block; takes over a count of it.
    static parcel* over(mqb_owner* block, std::uint32_t count);
    // Keeps one more block alive; takes over a count of it. Once, of one that was made with `over`.
    void own(mqb_owner* block) noexcept { owners_[owner_count_++] = block, charge_ += block->total_size; }
    // Message i alone, in a parcel of its own, one delivery more; tells the same.
    parcel* again(std::uint32_t i);
    parcel(const parcel&) = delete;

    std::uint32_t count() const noexcept { return count_; }
    std::uint64_t charge() const noexcept { return charge_; }  // bytes that are alive because of it
    std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
    // As many as the sender's elements had bytes, so that fields which are newer than this plugin pass through.
    std::uint16_t element_size() const noexcept { return element_size_; }
    mqb_message& message(std::uint32_t i) noexcept { return *static_cast<mqb_message*>(element(i)); }
    void* element(std::uint32_t i) noexcept { return elements_ + std::size_t{i} * element_size_; }

    // Where a message stands in the order of the channel. Set once, before it is in the queue.
    void set_place(std::uint64_t first) noexcept { first_place_ = first; }
    std::uint64_t place(std::uint32_t i) const noexcept { return first_place_ + i; }

    // Told of every message that is settled; null: nobody is. Set before it is in the queue.
    std::shared_ptr<settlement> told;
    std::uint32_t told_index(std::uint32_t i) const noexcept { return told_first_ + i; }
    void set_payload_bytes(std::uint64_t bytes) noexcept { payload_bytes_ = bytes; }

    void retain() noexcept { retained(this); }
    void release() noexcept { released(this); }

    // The send that waits until there is room for this, if it does; and its place in the line.
    sdk::operation<sdk::send_call> sender;
    const void* from = nullptr;  // whose send it is: numbers of operations are unique for each handle only
    parcel* next = nullptr;

private:
    parcel() noexcept : mqb_owner{} {}
    ~parcel();
    static parcel* make_shared_alike(const mqb_list& messages);
    static parcel* allocate(std::uint32_t count, std::size_t message_size, std::size_t owners, std::size_t bytes);
    static void retained(mqb_owner* owner);
    static void released(mqb_owner* owner);

    std::atomic<std::uint32_t> holders_{1};
    std::uint32_t count_ = 0, owner_count_ = 0, told_first_ = 0;
    std::uint16_t element_size_ = 0;
    std::uint64_t charge_ = 0, payload_bytes_ = 0, first_place_ = 0;
    std::uint8_t* elements_ = nullptr;
    mqb_owner** owners_ = nullptr;  // one count each
};

// One count of a parcel.
struct parcel_release {
    void operator()(parcel* one) const noexcept { one->release(); }
};
using counted_parcel = std::unique_ptr<parcel, parcel_release>;

}  // namespace mqb::memory
