#include "host/loading/checking.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace mqb::loading {

bool is_checking_asked_for() noexcept {
    const char* value = std::getenv("MQB_CHECKING");
    return value && std::string_view{value} == "1";
}

relaid_arrays::~relaid_arrays() {
    for (const array& a : arrays_) poison(a, false);
}

mqb_list relaid_arrays::lay(const mqb_list& from) {
    array& a = arrays_.emplace_back();
    if (from.count == 0) {
        a.list = {nullptr, 0, static_cast<std::uint16_t>(from.size + gap), from.size};
        return a.list;
    }
    const std::size_t stride = from.size + gap;
    a.bytes = std::make_unique<std::uint8_t[]>(stride * from.count);
    a.list = {a.bytes.get(), from.count, static_cast<std::uint16_t>(stride), from.size};
    for (std::uint32_t i = 0; i < from.count; ++i) {
        std::memcpy(mqb_at(&a.list, i), mqb_at(&from, i), from.size);
        std::memset(static_cast<char*>(mqb_at(&a.list, i)) + from.size, filler, gap);
    }
    poison(a, true);
    return a.list;
}

void relaid_arrays::copy_back(const mqb_list& to) const {
    const mqb_list& from = arrays_.back().list;
    for (std::uint32_t i = 0; i < from.count; ++i) std::memcpy(mqb_at(&to, i), mqb_at(&from, i), from.size);
}

bool relaid_arrays::are_gaps_intact() const noexcept {
    bool intact = true;
    for (const array& a : arrays_) {
        poison(a, false);
        for (std::uint32_t i = 0; i < a.list.count; ++i) {
            const auto* behind = static_cast<const std::uint8_t*>(mqb_at(&a.list, i)) + a.list.size;
            intact = intact && std::all_of(behind, behind + gap, [](std::uint8_t b) { return b == filler; });
        }
    }
    return intact;
}

void relaid_arrays::poison([[maybe_unused]] const array& a, [[maybe_unused]] bool on) const noexcept {
#if defined(__SANITIZE_ADDRESS__)
    for (std::uint32_t i = 0; i < a.list.count; ++i) {
        auto* behind = static_cast<std::uint8_t*>(mqb_at(&a.list, i)) + a.list.size;
        if (on)
            ASAN_POISON_MEMORY_REGION(behind, gap);
        else
            ASAN_UNPOISON_MEMORY_REGION(behind, gap);
    }
#endif
}

}  // namespace mqb::loading
