// script: what a scripted endpoint does, request by request, as a JSON file says it.
//
// publisher := [ {"answer": "done"|"unsent"|"again"|"refused"|"uncertain"|"never", "status": "done"|"retry"|"rejected"|"disconnected",
//                 "delay_ms": n, "response": text, "not_before_ms": n, "text": text}, … ]      one for each message
// consumer  := [ {"payload": text, "delay_ms": n, "settle": "ok"|"retry"|"gone"}, … ]          one for each message
#pragma once

#include <mqb/sdk.hpp>

#include <deque>

namespace mqb::scripted::plugin {

// The answer to one message of a send.
struct answer {
    std::int32_t result = MQB_DONE;
    bool never = false;
    sdk::status status = sdk::status::done;  // of the call; the first one that is not done counts
    std::uint64_t delay_ns = 0;              // 0: the send answers at once, unless another message of it waits
    std::uint64_t not_before_ns = 0;
    std::optional<std::string> response;
    std::string text;
};

// A message that the consumer gives, so long after it was asked.
struct request {
    std::string payload;
    std::uint64_t delay_ns = 0;
    std::int32_t settled = MQB_SETTLE_OK;  // its first settle; ok from then on
    std::uint8_t id[16] = {};
    std::uint32_t delivery_count = 0;
};

// They throw bad_config with what is wrong.
std::deque<answer> read_answers(const std::string& path);
std::deque<request> read_requests(const std::string& path);

}  // namespace mqb::scripted::plugin
