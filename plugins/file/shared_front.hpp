// Shared front: how much of the front of one file its readers in this process have dealt with, and the cutting of it. What stands
// behind goes to a new file beside it, which then takes its name; so at every moment the one or the other is there, whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "input_file.hpp"

namespace mqb::file {

// A place in the file is counted from its beginning as it was first opened here: what was cut away since counts too.
// Any thread.
class shared_front : public std::enable_shared_from_this<shared_front> {
public:
    // The same for all readers of a file, whatever was cut of it meanwhile.
    static std::shared_ptr<shared_front> of(const input_file& file);

    shared_front(int descriptor, std::uint64_t device, std::uint64_t inode);
    shared_front(const shared_front&) = delete;
    shared_front& operator=(const shared_front&) = delete;
    ~shared_front();

    // A reader begins at this byte of the file as it is now. Answers how much was cut before its first byte. keeps_before: if it is the
    // first one, what stands before stays.
    std::uint64_t join(const void* reader, std::uint64_t position, bool keeps_before);
    // The reader has dealt with everything before this place.
    void dealt_with(const void* reader, std::uint64_t place);
    void leave(const void* reader);

    // How much is dealt with before it is cut: cutting costs as much as there is behind it.
    enum class when { worth_it, now };
    struct checks {
        std::function<std::uint64_t(int)> header_size;  // which stays
        std::function<bool()> is_as_read;               // nobody else has cut it
    };
    // Cuts what every reader has dealt with, if `path` still names the file and it is as it was read. True: it is another file now. Throws
    // sdk::failure (retry) when the new file cannot be written; then the old one stays.
    bool cut(const std::string& path, when how_eagerly, const checks& file);

    // What came to the file that was cut last by a writer that still has it open is put behind the new one. True: something did.
    bool take_over_late_bytes(const std::string& path);

    // The reader's file, if it was cut by now, becomes the new one, at the same place. `removed`: so much was cut before its first byte.
    void follow(input_file& file, std::uint64_t& removed) const;
    std::uint64_t removed() const;

private:
    bool is_named_by(const std::string& path) const;
    bool take_late(const std::string& path);
    void know(std::uint64_t device, std::uint64_t inode);
    void forget(std::uint64_t device, std::uint64_t inode);

    mutable std::mutex mutex_;
    int descriptor_;   // of the file as it is now
    int before_ = -1;  // of the one that was cut, with its size then
    std::uint64_t before_size_ = 0;
    read_mark made_;  // what a file that was made by a cut had before it got its name
    std::uint64_t device_, inode_;
    std::uint64_t removed_ = 0;
    std::uint64_t kept_ = 0;  // so many first bytes stay
    std::map<const void*, std::uint64_t> dealt_with_;
};

}  // namespace mqb::file
