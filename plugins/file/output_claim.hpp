// Output claim: while a publisher has a file open, <path>.writing says from which byte on the file is its own. When it was killed,
// the next one knows by that what it may cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "held_file.hpp"

namespace mqb::file {

// free -> held -> free. Held by one publisher of the machine at a time, through a lock that a kill releases.
class output_claim {
public:
    explicit output_claim(const std::string& path) : file_(path + ".writing") {}

    // Which file is meant: another one under the same name is nobody's.
    struct place {
        std::uint64_t from = 0, device = 0, inode = 0;
    };

    // 0: held. EWOULDBLOCK: another publisher has the file open. Else the claim cannot be written.
    int take() { return file_.take(); }
    bool held() const noexcept { return file_.held(); }
    // What stands in there: the claim of a publisher that did not end in order.
    std::optional<place> read() const;
    // 0, or errno. None: nothing in the file is ours alone.
    int write(std::optional<place> from, bool synced);
    void release() noexcept { file_.release(); }
    // As a kill does: what stands in there is for the next publisher.
    void leave() noexcept { file_.leave(); }

    const std::string& path() const noexcept { return file_.path(); }

private:
    held_file file_;
};

}  // namespace mqb::file
