// merged_batch: several batches of one consumer as one, and how it is settled.
#pragma once

#include "core/consumer.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace mqb::core {

// In the order in which they came. Its messages are theirs.
class merged_batch {
public:
    struct part {
        void* batch;
        std::uint32_t first;  // the number of its first message here
        std::uint32_t count;
    };
    void add(const message_list& messages, void* batch);
    [[nodiscard]] message_list messages() const noexcept { return message_list{std::span<const message>{all_}}; }
    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(all_.size()); }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }

private:
    std::vector<part> parts_;
    std::vector<message> all_;
    std::uint64_t bytes_ = 0;
};

// One settle of such a batch: a call for each part that it names, in order. Used again and again.
class merged_settle {
public:
    // ok and pending as of every call; `ended` is called once when it was pending.
    status start(settle_call& upper, const merged_batch& batch, consumer& inner, void (*ended)(void* owner, merged_settle& self),
                 void* owner);
    void cancel(consumer& inner);
    [[nodiscard]] settle_call* upper() const noexcept { return upper_; }
    [[nodiscard]] status answer() const noexcept { return answer_; }
    // Outcomes and texts are with the caller by now.
    void forget() noexcept { upper_ = nullptr; }

private:
    struct part_settle : settle_call {
        merged_settle* of = nullptr;
        bool is_pending = false;
        std::vector<std::uint32_t> index;  // of the caller's entries
        std::vector<settle_entry> what;
        std::vector<outcome> came;
    };
    part_settle& part_at(std::size_t n);
    void collect(part_settle& p, status answer);

    settle_call* upper_ = nullptr;  // null: not in use
    status answer_ = status::ok;
    std::size_t pending_ = 0;
    bool is_starting_ = false;
    void (*ended_)(void* owner, merged_settle& self) = nullptr;
    void* owner_ = nullptr;
    std::vector<std::unique_ptr<part_settle>> parts_;
};

}  // namespace mqb::core
