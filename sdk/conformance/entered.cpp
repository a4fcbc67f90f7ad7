#include "entered.hpp"

#include <sys/mman.h>

#include <cstddef>

namespace mqb::conformance {
namespace {
trail own{};
trail* current = &own;
thread_local inside now{};
}  // namespace

trail* make_trail() {
    void* p = mmap(nullptr, sizeof(trail), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? &own : static_cast<trail*>(p);
}
void use_trail(trail* t) { current = t; }
// Several threads may be inside the plugin: any of them may win, so the race is meant.
__attribute__((no_sanitize("thread"))) void mark(const char* where) noexcept {
    std::size_t i = 0;
    for (; where && where[i] && i + 1 < sizeof current->where; ++i) current->where[i] = where[i];
    current->where[i] = 0;
}
inside& inside_now() noexcept { return now; }

}  // namespace mqb::conformance
