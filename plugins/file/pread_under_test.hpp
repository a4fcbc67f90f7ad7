// Pread under test: lets a test do something just before a certain pread of this process, such as cut the file that is read.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace mqb::file::testing {

// One thread; one at a time.
class pread_under_test {
public:
    // `what` is done before the pread with this number, from 0; with an error, which is an errno, that one fails.
    pread_under_test(std::size_t number, std::function<void()> what, int error = 0);
    ~pread_under_test();
    pread_under_test(const pread_under_test&) = delete;

    bool is_done() const noexcept { return !what_; }

    int count() {  // what pread does first: with which error it fails
        if (!what_ || number_-- > 0) return 0;
        std::exchange(what_, nullptr)();
        return error_;
    }

private:
    std::size_t number_;
    std::function<void()> what_;
    int error_;
};

}  // namespace mqb::file::testing
