// batch_book: the host's conduct with batches, written down. Kept only at the maximal level of checks.
#pragma once

#include <mqb/sdk/receive_call.hpp>

#include <map>
#include <mutex>
#include <vector>

namespace mqb::sdk::detail {

// Threads: [any]; one lock.
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
    bool may_settle(const settle_call& call, std::uint32_t dispositions) {
        std::lock_guard lock(mutex_);
        const auto found = settled_.find(call.batch());
        if (found == settled_.end()) return refuse(call, "settle of a batch that is not alive");
        for (const settle_entry entry : call) {
            if (entry.index() >= found->second.size()) return refuse(call, "settle of an index that the batch does not have");
            if (found->second[entry.index()]) return refuse(call, "settle of an index that is settled already");
            if (!(dispositions & MQB_BIT(entry.disposition()))) return refuse(call, "settle with a disposition that was not declared");
        }
        return true;
    }
    void has_settled(const settle_call& call) {
        std::lock_guard lock(mutex_);
        const auto found = settled_.find(call.batch());
        if (found == settled_.end()) return;
        for (const settle_entry entry : call)
            if (entry.is_final() && entry.outcome() != MQB_SETTLE_RETRY) found->second[entry.index()] = true;
    }

private:
    static bool refuse(const settle_call& call, const char* what) {
        call.owner()->host_misbehaves(what, "; answered gone");
        call.all_gone();
        return false;
    }
    std::mutex mutex_;
    std::map<void*, std::vector<bool>> settled_;
};

}  // namespace mqb::sdk::detail
