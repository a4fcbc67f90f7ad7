// Replaces the global operator new by one that counts, and that has no memory where it is told so.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};
std::atomic<std::size_t> refused_size{SIZE_MAX};

}  // namespace

long allocations_so_far() noexcept;
long allocations_so_far() noexcept { return allocations; }
bool refuse_allocations_of(std::size_t least) noexcept;
bool refuse_allocations_of(std::size_t least) noexcept {
    refused_size = least;
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    return true;
#endif
}

#ifndef __SANITIZE_ADDRESS__  // which has replaced them already, and compares who allocates with who frees
void* operator new(std::size_t size) {
    ++allocations;
    if (size >= refused_size) throw std::bad_alloc{};
    if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
    throw std::bad_alloc{};
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    if (size >= refused_size) return nullptr;
    return std::malloc(size == 0 ? 1 : size);
}
// Those of the thread sanitizer do not go through the ones above.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& none) noexcept { return operator new(size, none); }
void operator delete[](void* p) noexcept { operator delete(p); }
void operator delete[](void* p, std::size_t) noexcept { operator delete(p); }
#endif
