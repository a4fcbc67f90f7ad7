// store: a map of keys to versioned, expiring values, as core would see one; the layout of entries and results is the plugin ABI's.
#pragma once

#include "core/consumer.hpp"
#include "core/message.hpp"

#include <cstdint>
#include <string_view>

namespace mqb::loading {

enum class store_verb : std::int32_t { get = 0, put = 1, renew = 2, remove = 3, scan = 4 };
enum class store_condition : std::int32_t { always = 0, if_absent = 1, if_version = 2 };
enum class store_result : std::int32_t { not_done = 0, ok = 1, absent = 2, conflict = 3 };

struct store_entry {
    store_verb verb = store_verb::get;
    store_condition condition = store_condition::always;
    std::uint64_t version = 0;    // if_version
    std::uint64_t expiry_ns = 0;  // put, renew: from now; 0: never
    core::text_view key;          // any bytes; scan: the prefix
    core::buffer value;           // put; scan: the key after which to begin
    std::uint32_t limit = 0;      // scan
    std::uint32_t reserved = 0;
};

struct store_call : core::call {
    core::list<const store_entry> entries;
    core::list<core::outcome> outcomes;  // zeroed by the caller; number: the version now
    // What a get or scan found, borrowed for the call.
    void (*found)(store_call& self, std::uint32_t index, std::string_view key, const core::buffer& value, std::uint64_t version,
                  std::uint64_t expires_in_ns) = nullptr;
};

// Used by one owner, one call at a time; any number of applies in flight.
class store {
public:
    virtual ~store() = default;
    virtual core::status connect(core::call& c) = 0;
    virtual core::status apply(store_call& c) = 0;
    virtual void cancel(core::call& c) = 0;
    virtual core::status close(core::call& c) = 0;
    virtual void listen(core::event_sink* sink) = 0;
};

}  // namespace mqb::loading
