#include "host/loading/library_ranges.hpp"

#include <link.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace mqb::loading {

namespace {

struct range {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    const char* name = nullptr;
};

// Filled front to back; a reader sees the first `count`. What does not fit is not named in a crash.
std::array<range, 1024> ranges;
std::atomic<std::size_t> count{0};

struct search {
    const char* path;
    const char* name;
};

int take_segments(dl_phdr_info* info, std::size_t, void* data) {
    const auto& wanted = *static_cast<const search*>(data);
    if (!info->dlpi_name || std::strcmp(info->dlpi_name, wanted.path) != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
        const std::size_t at = count.load(std::memory_order_relaxed);
        if (at == ranges.size()) return 1;
        ranges[at] = {info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz, wanted.name};
        count.store(at + 1, std::memory_order_release);
    }
    return 1;
}

}  // namespace

// dl_iterate_phdr holds the loader's lock, so that two calls do not meet here.
void note_library_ranges(const std::filesystem::path& real_path, std::string_view name) {
    const std::string path = real_path.string();
    const search wanted{path.c_str(), ::strndup(name.data(), name.size())};  // kept for ever
    ::dl_iterate_phdr(&take_segments, const_cast<search*>(&wanted));
}

const char* library_at(std::uintptr_t address) noexcept {
    const std::size_t n = count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < n; ++i)
        if (address >= ranges[i].from && address < ranges[i].to) return ranges[i].name;
    return nullptr;
}

}  // namespace mqb::loading
