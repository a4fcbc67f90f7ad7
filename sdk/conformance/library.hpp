// Library: the plugin under test, opened raw, since the kit must be able to look at broken ones.
#pragma once
#include "entered.hpp"

#include <mqb/plugin.h>

#include <set>
#include <string>
#include <vector>

namespace mqb::conformance {

struct library {
    std::string path;  // empty: linked in
    const mqb_plugin* linked = nullptr;

    // Opens it and asks the door; fails with the reason of the loader. Does nothing the second time in one process.
    const mqb_plugin* open() const;
    const mqb_plugin* (*door() const)(void);
};

// Copies as much of a sized struct as both sides know; the rest is zero.
template <class T>
T as_known(const T* theirs) {
    T out{};
    if (!theirs) return out;
    const std::size_t size = theirs->struct_size < sizeof(T) ? theirs->struct_size : sizeof(T);
    __builtin_memcpy(static_cast<void*>(&out), theirs, size);
    out.struct_size = theirs->struct_size;
    return out;
}
std::string as_string(mqb_text);

// Names of all symbols that the file defines for others. Throws std::runtime_error when it is not a 64-bit ELF file.
std::vector<std::string> exported_symbols(const std::string& path);

// Threads and descriptors of this process, without the kit's own.
std::set<int> threads_now();
void this_thread_is_the_kits();
int descriptors_now();

}  // namespace mqb::conformance
