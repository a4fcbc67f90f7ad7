// batch_book: the host's conduct with batches, written down. Kept only at the maximal level of checks.
#pragma once

#include <mqb/consumer.h>
#include <mqb/sdk/instance.hpp>

#include <map>
#include <mutex>
#include <vector>

namespace mqb::sdk::detail {

// Knows calls as they cross, so that the classes of calls can write into it. Threads: [any]; one lock.
class batch_book {
public:
    void given(void* batch, std::uint32_t count) {
        std::lock_guard lock(mutex_);
        settled_[batch].assign(count, false);
    }
    // False: a batch that was not given, or is freed already.
    bool freed(const instance& owner, void* batch) {
        std::lock_guard lock(mutex_);
        if (settled_.erase(batch)) return true;
        owner.host_misbehaves("free_batch of a batch that is not alive; ignored");
        return false;
    }
    // False: the plugin must not see this settle.
    bool may_settle(const instance& owner, const mqb_settle& call, std::uint32_t dispositions) {
        std::lock_guard lock(mutex_);
        const auto found = settled_.find(call.batch);
        if (found == settled_.end()) return refuse(owner, call, "settle of a batch that is not alive");
        for (std::uint32_t i = 0; i < call.entries.count; ++i) {
            const mqb_entry& entry = *mqb_entry_at(&call.entries, i);
            if (entry.index >= found->second.size()) return refuse(owner, call, "settle of an index that the batch does not have");
            if (found->second[entry.index]) return refuse(owner, call, "settle of an index that is settled already");
            if (!(dispositions & MQB_BIT(entry.disposition))) return refuse(owner, call, "settle with a disposition that was not declared");
        }
        return true;
    }
    void has_settled(const mqb_settle& call) {
        std::lock_guard lock(mutex_);
        const auto found = settled_.find(call.batch);
        if (found == settled_.end()) return;
        for (std::uint32_t i = 0; i < call.entries.count; ++i) {
            const mqb_entry& entry = *mqb_entry_at(&call.entries, i);
            const bool is_final = entry.disposition != MQB_REPLY_MORE && mqb_outcome_at(&call.outcomes, i)->result != MQB_SETTLE_RETRY;
            if (is_final) found->second[entry.index] = true;
        }
    }

private:
    static bool refuse(const instance& owner, const mqb_settle& call, const char* what) {
        owner.host_misbehaves(what, "; answered gone");
        for (std::uint32_t i = 0; i < call.outcomes.count; ++i) mqb_outcome_at(&call.outcomes, i)->result = MQB_SETTLE_GONE;
        return false;
    }
    std::mutex mutex_;
    std::map<void*, std::vector<bool>> settled_;
};

// What gives batches: the part of a consumer that the classes of its calls know.
class batch_giver : public instance {
public:
    using instance::instance;
    batch_book& book() noexcept { return book_; }
    std::uint32_t dispositions = ~0u;  // declared by the promises of this configuration
    bool keeps_book = checks_maximal;  // false: the batches are those of somebody else

private:
    batch_book book_;
};

}  // namespace mqb::sdk::detail
