// Chunk writer: puts chunks into a spool in two steps: written under names that no reader looks at, then renamed, the sidecar first.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "chunk_files.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

// Several chunks may be on their way together. What answers an int answers 0 or errno, and has taken back what it had begun.
class chunk_writer {
public:
    // `alone`: nobody else makes directories in this spool.
    chunk_writer(const spool_directory& spool, const chunk_files& files, bool atomic, bool synced, bool alone)
        : spool_(spool), files_(files), atomic_(atomic), synced_(synced), alone_(alone) {}

    // How many chunks to stage before they are published. Not atomic: one, since it has its name at once.
    std::size_t most_staged() const noexcept { return atomic_ ? 16 : 1; }

    // Writes a chunk. EEXIST: there is another one of this name.
    int stage(const std::string& chunk, std::string_view payload, std::string_view sidecar);
    std::size_t staged() const noexcept { return staged_.size(); }
    // What is staged goes to the disk. With an error nothing is staged any more.
    int sync();
    // The first of what is staged becomes a chunk for the readers. EEXIST as above.
    int publish();
    void take_back_all() noexcept;

    // Something else changes in this directory, which is to go to the disk with the next chunks.
    void changes(std::string_view directory) {
        if (synced_) changed_.emplace(directory);
    }
    // The directories of what was published since the last time go to the disk.
    int sync_directories();
    // The spool is another directory now.
    void begin_anew() { changed_.clear(), entered_.clear(); }

private:
    struct open_chunk {
        std::string chunk;
        descriptor payload, sidecar;                    // open until they are synchronised
        bool has_payload = false, has_sidecar = false;  // whether there is a file of ours
    };
    std::string name_of(std::string file) const { return atomic_ ? chunk_files::unfinished(std::move(file)) : file; }
    int make(const std::string& file, std::string_view content, descriptor& to, bool& is_made);
    int write(open_chunk& one, std::string_view payload, std::string_view sidecar);
    int rename(const open_chunk& one);
    void take_back(const open_chunk& one) const noexcept;
    void enter(std::string_view directory);

    const spool_directory& spool_;
    const chunk_files& files_;
    bool atomic_, synced_, alone_;
    std::vector<open_chunk> staged_;
    std::set<std::string, std::less<>> changed_;  // directories
    std::string entered_;                         // the directory of the last chunk, whose parents have been synchronised with it
};

}  // namespace mqb::dir_spool
