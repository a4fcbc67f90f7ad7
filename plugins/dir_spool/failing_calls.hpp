// Failing calls: the system calls by which a spool is changed, watched, and made to fail one by one. For the tests of this folder.
#pragma once

#include <string>
#include <vector>

namespace mqb::dir_spool::testing {

// While one is alive, every such call of any thread but the test's is counted: open (for writing), write, fsync, rename, link, mkdir,
// unlink. fsync does nothing at all in this program. The nth answers `error` and does nothing; 0: none does.
class failing_calls {
public:
    explicit failing_calls(unsigned nth = 0, int error = 0);
    failing_calls(const failing_calls&) = delete;
    ~failing_calls();

    unsigned counted() const noexcept;
    // "fsync 000/1.bin.tmp": the call and the last parts of its path behind the folder of the spool.
    std::vector<std::string> seen() const;
};

}  // namespace mqb::dir_spool::testing
