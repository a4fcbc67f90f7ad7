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

    // Which file is meant: another one under the same name is nobody's, even where it has got the number of one that is gone.
    struct file_id {
        std::uint64_t device = 0, inode = 0;
        std::int64_t birth = 0;  // ns since 1970; 0: the file system does not say
        bool operator==(const file_id&) const = default;
    };
    // Of an open file; device and inode 0 where that cannot be told.
    static file_id id_of(int descriptor) noexcept;
    struct place {
        std::uint64_t from = 0;
        file_id file;
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
