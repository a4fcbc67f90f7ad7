#include "pread_under_test.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace mqb::file::testing {
namespace {

thread_local pread_under_test* current = nullptr;

}  // namespace

pread_under_test::pread_under_test(std::size_t number, std::function<void()> what) : number_(number), what_(std::move(what)) {
    current = this;
}
pread_under_test::~pread_under_test() { current = nullptr; }

}  // namespace mqb::file::testing

// The linker prefers what the program itself has to what is in the C library.
extern "C" ssize_t pread(int descriptor, void* to, std::size_t size, off_t at) {
    using mqb::file::testing::current;
    if (current != nullptr) current->count();
    return static_cast<ssize_t>(::syscall(SYS_pread64, descriptor, to, size, at));
}
