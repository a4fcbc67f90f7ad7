// Parcel: messages that the kit gives to a plugin, in hostile memory: with a counted owner, or borrowed and gone after the call.
#pragma once
#include "guarded.hpp"
#include "rules.hpp"

#include <mqb/message.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace mqb::conformance {

// What a message says, without memory questions.
struct letter {
    std::optional<std::string> payload;  // none: null
    std::string metadata;                // a block
    std::string id = {};                 // 16 bytes or empty
    std::uint64_t lane = 0;
    std::uint32_t delivery_count = 0;
};

enum class lending { counted, borrowed };

// An owner of kit memory that counts what a plugin does with it. Kept for ever; its bytes become unreadable with the last release.
class kit_owner {
public:
    static kit_owner& make(std::size_t size);
    mqb_owner* handle() { return &face_.base; }
    unsigned char* data() { return memory_.data(); }
    long held() const { return count_; }  // by everybody, the kit's own one included
    void drop();
    static long all_held();  // of all owners, after the kit has dropped its own

private:
    struct face {
        mqb_owner base;
        kit_owner* self;
    };
    explicit kit_owner(std::size_t size);
    static void on_retain(mqb_owner*);
    static void on_release(mqb_owner*);
    face face_;
    guarded memory_;
    std::atomic<long> count_{1};
    std::atomic<bool> dropped_{false};  // the kit has given up its own count
};

class parcel {
public:
    parcel() = default;
    parcel(const std::vector<letter>&, lending);
    mqb_list list() const { return messages_.list(); }
    // Fails when the plugin wrote to the messages; makes them unreadable, as a host may after the answer.
    void take_back(const char* what);

private:
    hostile_list<mqb_message> messages_;
    std::string before_;
    kit_owner* owner_ = nullptr;
    std::vector<guarded> borrowed_;
};

// Builders of letters.
std::string uuid_of(std::uint64_t number);
std::string meta_text(std::string_view key, std::string_view value);
std::string meta_entry(int type, std::string_view key, std::string_view value);
std::string block_as_text(std::string_view block);  // for reports

}  // namespace mqb::conformance
