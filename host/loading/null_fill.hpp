// null_fill: takes a table that may be shorter or longer than the one this host knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mqb::loading {

// Whole slots that both sides know; the rest is zero. T begins with struct_size.
template <class T>
[[nodiscard]] T null_filled(const T* theirs) noexcept {
    T ours{};
    std::size_t size = theirs->struct_size < sizeof ours ? theirs->struct_size : sizeof ours;
    size -= size % sizeof(void*);
    std::memcpy(&ours, theirs, size);
    return ours;
}

}  // namespace mqb::loading
