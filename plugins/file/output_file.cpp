#include "output_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "config.hpp"

namespace mqb::file {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// A file that was made is there after a power cut only when its directory was synchronised.
void sync_directory_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);
    ::close(directory);
}

}  // namespace

bool output_file::open(char delimiter, bool durable) {
    close();
    if (path_ == standard_output) {
        descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    } else {
        constexpr int flags = O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
        descriptor_ = ::open(path_.c_str(), flags | O_RDWR, 0666);
        if (descriptor_ < 0 && errno == EACCES) descriptor_ = ::open(path_.c_str(), flags | O_WRONLY, 0666);
    }
    if (descriptor_ < 0 && errno == EISDIR) throw sdk::bad_config("file target '", path_, "' is a directory, not a file");
    if (descriptor_ < 0) {
        const int error = errno;
        const bool may_pass = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE;
        throw sdk::failure(may_pass ? sdk::status::retry : sdk::status::bad_config,
                           sdk::join("cannot open file target '", path_, "': ", reason(error)));
    }
    struct stat is {};
    if (::fstat(descriptor_, &is) != 0) throw sdk::retry_later("cannot look at file target '", path_, "': ", reason(errno));
    regular_ = S_ISREG(is.st_mode);
    if (!regular_ && path_ != standard_output)
        throw sdk::bad_config("file target '", path_, "' is a ", S_ISFIFO(is.st_mode) ? "FIFO" : "device",
                              "; besides files only /dev/stdout can be written");
    if (regular_ && durable) sync_directory_of(path_);
    char last = delimiter;
    return regular_ && is.st_size > 0 && ::pread(descriptor_, &last, 1, is.st_size - 1) == 1 && last != delimiter;
}

void output_file::close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

bool output_file::begin_batch() {
    written_ = 0;
    struct stat is {};
    if (!regular_ || ::fstat(descriptor_, &is) != 0) return true;
    begin_ = static_cast<std::uint64_t>(is.st_size);
    return is.st_nlink > 0;
}

int output_file::write(std::string_view text) {
    if (was_full_ && regular_) {
        // All or nothing: a program that is killed while the disk is full leaves no half record.
        const int full =
            ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin_ + written_), static_cast<off_t>(text.size()));
        if (full != 0 && (errno == ENOSPC || errno == EDQUOT)) return errno;
    }
    while (!text.empty()) {
        const ssize_t size = ::write(descriptor_, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) {
            was_full_ = errno == ENOSPC || errno == EDQUOT;
            return errno;
        }
        written_ += static_cast<std::uint64_t>(size);
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    was_full_ = false;
    return 0;
}

bool output_file::take_back() {
    struct stat is {};
    if (!regular_) return written_ == 0;
    // Somebody else's records behind ours are not ours to cut.
    if (::fstat(descriptor_, &is) != 0 || static_cast<std::uint64_t>(is.st_size) != begin_ + written_) return written_ == 0;
    if (::ftruncate(descriptor_, static_cast<off_t>(begin_)) != 0) return written_ == 0;
    written_ = 0;
    return true;
}

int output_file::sync() { return !regular_ || ::fdatasync(descriptor_) == 0 ? 0 : errno; }

}  // namespace mqb::file
