#include "unpacker.hpp"

#include "codec/broken.hpp"

#include <algorithm>

namespace mqb::compressing {

namespace {
constexpr std::uint64_t first_room = 4096;
constexpr std::uint64_t usual_ratio = 4;
}  // namespace

unpacker::unpacker(codec::compression kind, std::uint64_t most)
    : name_(codec::name_of(kind)), most_(std::min<std::uint64_t>(most, SIZE_MAX - 1)), decompressor_(codec::make_decompressor(kind)) {}

std::optional<byte_block> unpacker::unpack(std::string_view packed, std::string& why) {
    byte_block out;
    std::uint64_t room = std::clamp<std::uint64_t>(packed.size() * usual_ratio, first_room, 1u << 20);
    const auto fail = [&why](std::string text) {
        why = std::move(text);
        return std::nullopt;
    };
    try {
        decompressor_->begin();
        for (;;) {
            if (out.room().empty()) {
                out.reserve(std::min(room, most_ + 1));
                room *= 2;
            }
            const auto step = decompressor_->run(packed, out.room());
            packed.remove_prefix(step.taken);
            out.use(step.given);
            if (out.size() > most_)
                return fail("more than " + std::to_string(most_) + " bytes come out of the payload (max_decompressed_bytes)");
            if (step.ended) break;
            if (step.taken == 0 && step.given == 0) return fail("the " + std::string{name_} + " data of the payload are cut off");
        }
    } catch (const codec::broken& damage) {
        return fail("the payload is no " + std::string{name_} + " data, or damaged: " + damage.what());
    }
    if (!packed.empty())
        return fail("there are " + std::to_string(packed.size()) + " bytes behind the " + std::string{name_} + " data of the payload");
    out.trim();
    return out;
}

}  // namespace mqb::compressing
