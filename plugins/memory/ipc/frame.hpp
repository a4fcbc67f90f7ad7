// frame: what crosses a socket. Bounded on both sides by the same numbers.
//
//   stream := frame*                      frame := length:u32-big-endian body
//   body from the publisher := nothing | array(message*) | hello
//   message := array(id:str payload:bin [metadata:map(str str)])
//   hello := {"mqb.ack": 1}               the first frame, when the publisher asks for confirmations; the consumer returns it
//   body from the consumer := hello | array((number | part)*)
//   part := array(number first count)
//
// Only after a hello the consumer sends anything: the numbers of the frames, counted from 1 without the hello, of which every message is
// settled, in any order. A consumer that goes also sends which messages of a frame are settled, where not all of them are.
#pragma once

#include <mqb/metadata.h>

#include <cstdint>
#include <string_view>

namespace mqb::memory {

constexpr std::uint32_t longest_frame = 100u << 20;
constexpr std::uint32_t most_messages = 1'000'000;            // of a frame: 80 bytes each here
constexpr std::uint32_t most_entries = MQB_META_MAX_ENTRIES;  // of metadata of a message: no host takes more
constexpr std::uint32_t length_size = 4;
constexpr std::string_view hello{"\x81\xa7mqb.ack\x01", 10};

inline std::uint32_t get_length(const std::uint8_t* from) noexcept {
    return std::uint32_t{from[0]} << 24 | std::uint32_t{from[1]} << 16 | std::uint32_t{from[2]} << 8 | from[3];
}
inline void put_length(std::uint8_t* to, std::uint32_t length) noexcept {
    for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(length >> (24 - 8 * i));
}

}  // namespace mqb::memory
