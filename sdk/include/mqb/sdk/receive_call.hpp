// receive_call: a request for messages, and the settle of what was given.
#pragma once

#include <mqb/sdk/batch_book.hpp>
#include <mqb/sdk/call.hpp>
#include <mqb/sdk/message.hpp>

namespace mqb::sdk {

class receive_call : public any_call<receive_call, mqb_receive> {
public:
    using any_call::any_call;
    std::uint32_t max_messages() const noexcept { return raw().max_messages; }
    std::uint64_t max_bytes() const noexcept { return raw().max_bytes; }  // 0: no limit
    bool drains() const noexcept { return raw().drain != 0; }             // answer end rather than wait

    // Whether one more message of `size` payload bytes may be given beside `count` of `total` bytes in all. The first always may.
    bool fits(std::uint32_t count, std::uint64_t total, std::uint64_t size) const noexcept {
        if (count >= raw().max_messages) return false;
        return count == 0 || raw().max_bytes == 0 || total + size <= raw().max_bytes;
    }

    // Puts messages into the answer; they stay valid until free_batch(batch).
    status give(const mqb_list& messages, void* batch) const noexcept {
        raw().messages = messages;
        raw().batch = messages.count ? batch : nullptr;
        return status::done;
    }
    // Nothing now: the host asks again after its poll interval. Only with the promise `needs_polling`.
    status nothing_now() const noexcept { return give(mqb_list{nullptr, 0, sizeof(mqb_message), sizeof(mqb_message)}, nullptr); }
    // For the checks.
    void ended(status answer) const noexcept {
        auto& giver = *static_cast<detail::batch_giver*>(owner());
        if (giver.keeps_book && answer == status::done && raw().batch) giver.book().given(raw().batch, raw().messages.count);
    }
};

// One entry of a settle with its outcome.
class settle_entry {
public:
    settle_entry(const mqb_settle& call, std::uint32_t at) noexcept
        : entry_(mqb_entry_at(&call.entries, at)), outcome_(mqb_outcome_at(&call.outcomes, at)) {}

    std::uint32_t index() const noexcept { return entry_->index; }  // of the batch
    std::int32_t disposition() const noexcept { return entry_->disposition; }
    std::uint64_t delay_ns() const noexcept { return entry_->delay_ns; }
    std::string_view reason() const noexcept { return view(entry_->reason); }
    const mqb_message* reply() const noexcept { return entry_->reply; }
    bool is_final() const noexcept { return entry_->disposition != MQB_REPLY_MORE; }

    void ok() const noexcept { outcome_->result = MQB_SETTLE_OK; }
    void gone() const noexcept { outcome_->result = MQB_SETTLE_GONE; }
    void again() const noexcept { outcome_->result = MQB_SETTLE_RETRY; }  // what it is anyway when nothing is said
    std::int32_t outcome() const noexcept { return outcome_->result; }

private:
    const mqb_entry* entry_;
    mqb_outcome* outcome_;
};

class settle_call : public any_call<settle_call, mqb_settle> {
public:
    using any_call::any_call;
    void* batch() const noexcept { return raw().batch; }
    std::uint32_t size() const noexcept { return raw().entries.count; }
    settle_entry operator[](std::uint32_t at) const noexcept { return {raw(), at}; }

    void all_ok() const noexcept {
        for (std::uint32_t i = 0; i < size(); ++i) (*this)[i].ok();
    }
    void all_gone() const noexcept {
        for (std::uint32_t i = 0; i < size(); ++i) (*this)[i].gone();
    }

    void ended(status) const noexcept { static_cast<detail::batch_giver*>(owner())->book().has_settled(raw()); }  // for the checks

    detail::by_index<settle_call> begin() const noexcept { return {this, 0}; }
    detail::by_index<settle_call> end() const noexcept { return {this, size()}; }
};

}  // namespace mqb::sdk
