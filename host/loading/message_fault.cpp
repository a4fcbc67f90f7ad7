#include "host/loading/message_fault.hpp"

#include <mqb/metadata.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mqb::loading {

namespace {

bool is_broken(const mqb_owner& o) noexcept { return !o.retain || !o.release; }

// Not 0: more bytes than there can be, or bytes at no address.
std::size_t broken(const mqb_buffer& b, std::size_t most) noexcept {
    return static_cast<std::size_t>(b.size > most) | static_cast<std::size_t>((b.data == nullptr) & (b.size != 0));
}

}  // namespace

const char* fault_in_message(const mqb_message& m) noexcept {
    if (!m.payload.data && m.payload.size) return "gave a message whose payload has a size and no data";
    if (m.payload.size > PTRDIFF_MAX) return "gave a message whose payload has an impossible size";
    if (!m.metadata.data && m.metadata.size) return "gave a message whose metadata has a size and no data";
    if (m.metadata.size > MQB_META_MAX_SIZE) return "gave a message whose metadata is too large";
    if (m.payload.owner && is_broken(*m.payload.owner)) return "gave a message whose payload has an owner without retain or release";
    if (m.metadata.owner && is_broken(*m.metadata.owner)) return "gave a message whose metadata has an owner without retain or release";
    return nullptr;
}

const char* fault_in_messages(const mqb_list& messages) noexcept {
    std::size_t found = 0;
    const mqb_owner* sound = nullptr;  // the last one, which most messages of a batch share
    const auto* at = static_cast<const char*>(messages.first);
    for (std::uint32_t i = 0; i < messages.count; ++i, at += messages.stride) {
        const auto& m = *reinterpret_cast<const mqb_message*>(at);
        found |= broken(m.payload, PTRDIFF_MAX) | broken(m.metadata, MQB_META_MAX_SIZE);
        for (const mqb_owner* o : {m.payload.owner, m.metadata.owner}) {
            if (!o || o == sound) continue;
            found |= static_cast<std::size_t>(is_broken(*o));
            sound = o;
        }
    }
    if (found == 0) [[likely]]
        return nullptr;
    for (std::uint32_t i = 0; i < messages.count; ++i)
        if (const char* fault = fault_in_message(*mqb_message_at(&messages, i))) return fault;
    return nullptr;
}

}  // namespace mqb::loading
