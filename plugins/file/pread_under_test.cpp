#include "pread_under_test.hpp"

#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

namespace mqb::file::testing {
namespace {

thread_local pread_under_test* current = nullptr;

}  // namespace

pread_under_test::pread_under_test(std::size_t number, std::function<void()> what, int error)
    : number_(number), what_(std::move(what)), error_(error) {
    current = this;
}
pread_under_test::~pread_under_test() { current = nullptr; }

}  // namespace mqb::file::testing

// The linker prefers what the program itself has to what is in the C library.
extern "C" ssize_t pread(int descriptor, void* to, std::size_t size, off_t at) {
    using mqb::file::testing::current;
    if (const int error = current != nullptr ? current->count() : 0; error != 0) {
        errno = error;
        return -1;
    }
    return static_cast<ssize_t>(::syscall(SYS_pread64, descriptor, to, size, at));
}
