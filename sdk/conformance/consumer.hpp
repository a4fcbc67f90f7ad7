// Consumer: the consumer side of the plugin, called as a host calls it and checked at every answer.
#pragma once
#include "handle.hpp"
#include "parcel.hpp"

#include <memory>
#include <optional>

namespace mqb::conformance {

struct received {
    letter what;      // a copy
    mqb_message raw;  // valid until the batch is freed
};
struct batch {
    void* token = nullptr;
    std::vector<received> messages;
    std::uint64_t given_at = 0;  // see operation::answered_at
    std::size_t size() const { return messages.size(); }
};

inline constexpr const char* reply_text = "reply of the kit";  // what REPLY and REPLY_MORE carry

struct wanted {  // one settle entry
    std::uint32_t index;
    std::int32_t disposition = MQB_ACK;
    std::uint64_t delay_ns = 0;
};
struct settling {
    operation* op;
    hostile_list<mqb_entry> entries;
    hostile_list<mqb_outcome> outcomes;
    std::vector<guarded> lent;  // replies and reasons, unreadable after the answer
    std::vector<mqb_outcome> result() const;
};

class consumer : public handle<mqb_consumer, mqb_consumer_table> {
public:
    explicit consumer(recipe);

    operation& start_receive(std::uint32_t max = 100, std::uint64_t bytes = 0, bool drain = false);
    // What a finished receive gave; none when it gave nothing. Fails when the answer breaks a rule.
    std::optional<batch> take(operation&);
    // Receives until something has come, or `patience` is over (then it cancels). Sets *ended at END.
    std::optional<batch> receive(std::chrono::milliseconds patience, std::uint32_t max = 100, bool* ended = nullptr, bool drain = false);
    // Batches with at least n messages, or what came until patience was over.
    std::vector<batch> collect(std::size_t n, std::chrono::milliseconds patience, std::uint32_t max = 100);

    settling start_settle(const batch&, const std::vector<wanted>&);
    std::vector<mqb_outcome> settle(const batch&, const std::vector<wanted>&);
    // Settles everything as the settle unit demands, again while the answer is RETRY.
    void settle_all(const batch&, std::int32_t disposition = MQB_ACK);
    bool acknowledges() const { return promises_to(MQB_ACKNOWLEDGES) && slots_.settle; }
    bool declares(std::int32_t disposition) const { return (promises_.dispositions & MQB_BIT(disposition)) != 0; }

    void free_batch(batch&);
    void lanes_done(std::uint64_t token);
    operation& start_control(const std::string& id, const std::string& request);
    void close() override;

private:
    void settle_until_final(const batch&, std::vector<wanted>);
    void check(const mqb_message&, std::uint32_t i);
    struct asked {
        std::uint32_t max;
        std::uint64_t bytes;
    };
    std::map<operation*, asked> asked_;
    std::set<void*> live_;
};

operation& start_control_call(const char* what, const std::string& id, const std::string& request);
std::size_t count_of(const std::vector<batch>&);

}  // namespace mqb::conformance
