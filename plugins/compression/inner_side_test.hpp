// inner_side: for the tests of this folder, what a middleware is lent: a source of given payloads and a target that writes down.
#pragma once

#include <mqb/sdk.hpp>
#include <mqb/sdk/testing/handles.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

namespace mqb::compressing {

struct inner_side {
    std::deque<std::vector<std::string>> batches;  // none: the receive waits
    std::vector<std::string> settled;              // "0 1j(why)"
    int freed = 0, receives = 0;
    sdk::operation<sdk::receive_call> waits;
    bool answers_sends = true;
    std::vector<std::vector<std::string>> sent;  // "~null" for a payload that is null
    std::deque<sdk::operation<sdk::send_call>> sends;
    int cancelled = 0;
};
inline inner_side* now = nullptr;  // of the test that runs

struct inner_consumer : sdk::consumer {
    inner_consumer(const sdk::context& made, const sdk::no_config&) : consumer(made) {}
    static sdk::promises promise(const sdk::no_config&) {
        return sdk::promises().acknowledges(sdk::settles::message).takes(MQB_NACK).takes(MQB_REJECT);
    }
    sdk::status receive(sdk::receive_call& call) {
        ++now->receives;
        if (now->batches.empty()) return now->waits = call.later(), sdk::status::pending;
        return give(call);
    }
    sdk::status give(sdk::receive_call& call) {
        auto batch = batches_.open();
        for (const std::string& payload : now->batches.front()) batch->add(payload);
        now->batches.pop_front();
        return batch.give(call);
    }
    void come(std::vector<std::string> payloads) {
        now->batches.push_back(std::move(payloads));
        auto waits = std::move(now->waits);
        const sdk::status answer = give(*waits);
        waits.complete(answer);
    }
    void settle(sdk::settle_call& call) {
        CHECK((call.raw().call.done != nullptr));  // as every host asks of its callers
        std::string line;
        for (const auto entry : call) {
            line += (line.empty() ? "" : " ") + std::to_string(entry.index());
            if (entry.disposition() == MQB_REJECT) line += 'j';
            if (!entry.reason().empty()) line += "(" + std::string{entry.reason()} + ")";
            entry.ok();
        }
        now->settled.push_back(line);
    }
    void free_batch(void* batch) {
        ++now->freed;
        sdk::batch_pool<>::recycle(batch);
    }
    void cancel(std::uint64_t operation) {
        if (now->waits && now->waits.id() == operation) now->waits.complete(sdk::status::cancelled);
    }
    sdk::batch_pool<> batches_;
};

struct inner_publisher : sdk::publisher {
    inner_publisher(const sdk::context& made, const sdk::no_config&) : publisher(made) {}
    sdk::status send(sdk::send_call& call) {
        auto& payloads = now->sent.emplace_back();
        for (const auto message : call) {
            payloads.push_back(message.raw().payload.data ? std::string{message.text()} : "~null");
            call.done(message.index());
        }
        if (now->answers_sends) return sdk::status::done;
        return now->sends.push_back(call.later()), sdk::status::pending;
    }
    void cancel(std::uint64_t) { ++now->cancelled; }
};

}  // namespace mqb::compressing
