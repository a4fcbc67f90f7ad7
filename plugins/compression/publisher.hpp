// Publisher: compresses what an output is given.
#pragma once

#include "byte_block.hpp"
#include "config.hpp"

#include "codec/compressor.hpp"

#include <mqb/sdk/middleware.hpp>

#include <memory>
#include <vector>

namespace mqb::compressing {

// Each payload becomes one member of the format; one that is null stays null. Several sends may be under way, as far as the inner side
// takes them.
class publisher final : public sdk::publisher_middleware {
public:
    publisher(const sdk::context& made, const config& with);
    ~publisher();

    sdk::status send(sdk::send_call& call);
    void cancel(std::uint64_t operation);

private:
    struct one_send {
        publisher* self = nullptr;
        bool is_free = true;
        sdk::changed_messages messages;
        std::vector<byte_block> payloads;
        sdk::send_call given;
        sdk::outgoing<mqb_send> below;
        sdk::operation<sdk::send_call> above;
    };
    one_send& take(const sdk::send_call& call);
    void pack(one_send& s);
    static void explain(const one_send& s);
    static void ended(one_send& s, sdk::status answer);

    std::unique_ptr<codec::compressor> compressor_;  // null: algorithm none
    std::vector<std::unique_ptr<one_send>> sends_;   // used again and again
};

}  // namespace mqb::compressing
