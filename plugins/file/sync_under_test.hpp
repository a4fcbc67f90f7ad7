// Sync under test: takes the place of fdatasync, and of what else a disk may refuse, in the tests of this folder, where a test asks for it.
#pragma once

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string>
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
    // The same for fsync, which folders are synchronised with, for mkdir and for ftruncate; 0: none of them from here on.
    void fail_folders(int error) { folder_error_ = error; }
    void fail_new_folders(int error) { new_folder_error_ = error; }
    void fail_cuts(int error) { cut_error_ = error; }
    std::string last_folder();  // its path
    // Syncs that begin from here on do not end before let_go.
    void hold();
    void let_go();
    // Until so many have begun.
    void wait_for(std::size_t count);
    std::vector<int> descriptors();

    int sync(int descriptor);  // what fdatasync does
    int sync_folder(int descriptor);
    int cut_error() const { return cut_error_; }
    int new_folder_error() const { return new_folder_error_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<int> descriptors_;
    int error_ = 0;
    bool held_ = false;
    std::atomic<int> folder_error_{0}, new_folder_error_{0}, cut_error_{0};
    std::string last_folder_;
};

}  // namespace mqb::file::testing
