#include "guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace mqb::conformance {

guarded::guarded(std::size_t size) : size_(size) {
    static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    pages_ = (size + page - 1) / page * page;
    void* p = mmap(nullptr, pages_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    page_ = static_cast<unsigned char*>(p);
    mprotect(page_ + pages_, page, PROT_NONE);
    at_ = page_ + pages_ - size;
}
guarded::guarded(std::string_view bytes) : guarded(bytes.size()) {
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
}
void guarded::protect(int how) const {
    if (pages_) mprotect(page_, pages_, how);
}
void guarded::freeze() const { protect(PROT_READ); }
void guarded::destroy() const { protect(PROT_NONE); }

}  // namespace mqb::conformance
