// Sync under test: takes the place of fdatasync in the tests of this folder, where a test asks for it.
#pragma once

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace mqb::file::testing {

// While it lives, every fdatasync of this process comes here, and no disk sees it.
class sync_under_test {
public:
    sync_under_test();
    ~sync_under_test();
    sync_under_test(const sync_under_test&) = delete;

    // The next sync fails so.
    void fail_next(int error);
    // Syncs that begin from here on do not end before let_go.
    void hold();
    void let_go();
    // Until so many have begun.
    void wait_for(std::size_t count);
    std::vector<int> descriptors();

    int sync(int descriptor);  // what fdatasync does

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<int> descriptors_;
    int error_ = 0;
    bool held_ = false;
};

}  // namespace mqb::file::testing
