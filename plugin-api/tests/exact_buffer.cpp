#include "exact_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace mqb::test {

exact_buffer::exact_buffer(std::size_t most) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t usable = (most + page - 1) / page * page;
    mapped_ = usable + page;
    mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) std::abort();
    end_ = static_cast<std::uint8_t*>(mapping_) + usable;
    if (mprotect(end_, page, PROT_NONE) != 0) std::abort();
}

exact_buffer::~exact_buffer() { munmap(mapping_, mapped_); }

std::uint8_t* exact_buffer::holding(std::span<const std::uint8_t> bytes) noexcept {
    std::uint8_t* to = last(bytes.size());
    std::copy(bytes.begin(), bytes.end(), to);
    return to;
}

}  // namespace mqb::test
