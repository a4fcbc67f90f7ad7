#include "shared_front.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "small_file.hpp"

namespace mqb::file {
namespace {

constexpr std::uint64_t least = 16 << 20;
constexpr std::uint64_t most_at_once = 64 << 20;  // takes no longer than a stop may
constexpr std::uint64_t piece = 64 << 10;

using identity = std::pair<std::uint64_t, std::uint64_t>;

// Those that have readers, by device and inode.
struct known_fronts {
    std::mutex mutex;
    std::map<identity, std::weak_ptr<shared_front>> all;
};
known_fronts& fronts() {
    static known_fronts known;
    return known;
}

std::uint64_t size_of(int file) {
    struct stat is {};
    return ::fstat(file, &is) == 0 ? static_cast<std::uint64_t>(is.st_size) : 0;
}

// 0, or errno; `begin` is behind what was written. `to` is written at its end.
int append(int from, std::uint64_t& begin, std::uint64_t end, int to) {
    std::array<char, piece> bytes;
    while (begin < end) {
        const ssize_t got = ::pread(from, bytes.data(), std::min(piece, end - begin), static_cast<off_t>(begin));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return EIO;
        for (ssize_t put = 0; put < got;) {
            const ssize_t size = ::write(to, bytes.data() + put, static_cast<std::size_t>(got - put));
            if (size < 0 && errno == EINTR) continue;
            if (size < 0) return errno;
            put += size;
            begin += static_cast<std::uint64_t>(size);
        }
    }
    return 0;
}

// 0 or errno.
int take_mark(read_mark& mark, int of, std::uint64_t size) {
    try {
        mark.start(of, size);
        return 0;
    } catch (const sdk::failure&) { return EIO; }
}

}  // namespace

std::shared_ptr<shared_front> shared_front::of(const input_file& file) {
    known_fronts& known = fronts();
    const std::lock_guard lock(known.mutex);
    std::erase_if(known.all, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<shared_front>& here = known.all[{file.device(), file.inode()}];
    std::shared_ptr<shared_front> front = here.lock();
    if (front) return front;
    const int own = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
    if (own < 0) throw sdk::retry_later("cannot keep '", file.path(), "' open: ", std::generic_category().message(errno));
    here = front = std::make_shared<shared_front>(own, file.device(), file.inode());
    return front;
}

shared_front::shared_front(int descriptor, std::uint64_t device, std::uint64_t inode)
    : descriptor_(descriptor), device_(device), inode_(inode) {}

shared_front::~shared_front() {
    ::close(descriptor_);
    if (before_ >= 0) ::close(before_);
}

std::uint64_t shared_front::join(const void* reader, std::uint64_t position, bool keeps_before) {
    const std::lock_guard lock(mutex_);
    if (keeps_before && removed_ == 0 && dealt_with_.empty()) kept_ = position;
    dealt_with_[reader] = removed_ + position;
    return removed_;
}

void shared_front::dealt_with(const void* reader, std::uint64_t place) {
    const std::lock_guard lock(mutex_);
    dealt_with_[reader] = place;
}

void shared_front::leave(const void* reader) {
    const std::lock_guard lock(mutex_);
    dealt_with_.erase(reader);
}

std::uint64_t shared_front::removed() const {
    const std::lock_guard lock(mutex_);
    return removed_;
}

bool shared_front::is_named_by(const std::string& path) const {
    struct stat is {};
    return ::stat(path.c_str(), &is) == 0 && is.st_dev == device_ && is.st_ino == inode_;
}

void shared_front::know(std::uint64_t device, std::uint64_t inode) {
    const std::lock_guard lock(fronts().mutex);
    fronts().all[{device, inode}] = weak_from_this();
}

void shared_front::forget(std::uint64_t device, std::uint64_t inode) {
    const std::lock_guard lock(fronts().mutex);
    fronts().all.erase({device, inode});
}

bool shared_front::cut(const std::string& path, when how_eagerly, const checks& file) {
    const std::unique_lock lock(mutex_);
    if (dealt_with_.empty()) return false;
    take_late(path);
    const auto slowest = std::ranges::min_element(dealt_with_, {}, [](const auto& one) { return one.second; });
    if (slowest->second <= removed_) return false;
    const std::uint64_t place = slowest->second - removed_, size = size_of(descriptor_);
    if (place > size || (how_eagerly == when::worth_it && (place < least || place < size - place))) return false;
    if (how_eagerly == when::now && size - place > most_at_once) return false;
    const std::uint64_t header = std::max(kept_, file.header_size(descriptor_));
    if (place <= header || !is_named_by(path)) return false;

    const std::string beside = path + ".rest.tmp";
    struct stat is {};
    const int to = ::open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    int error = to < 0 || ::fstat(descriptor_, &is) != 0 ? errno : 0;
    if (error == 0 && ::fchown(to, is.st_uid, is.st_gid) != 0) error = errno;
    if (error == 0 && ::fchmod(to, is.st_mode & 07777) != 0) error = errno;
    std::uint64_t kept = 0, copied = place;
    if (error == 0) error = append(descriptor_, kept, header, to);
    // Until nothing came while it was synchronised.
    while (error == 0) {
        const std::uint64_t end = size_of(descriptor_);
        error = append(descriptor_, copied, end, to);
        if (error == 0 && ::fsync(to) != 0) error = errno;
        if (size_of(descriptor_) == copied) break;
    }
    struct stat made {};
    read_mark mark;
    if (error == 0 && ::fstat(to, &made) != 0) error = errno;
    // While nobody else can write to it.
    if (error == 0) error = take_mark(mark, to, static_cast<std::uint64_t>(made.st_size));
    // Looked at afterwards: if it still is what was read, this is its rest.
    const bool is_named = error == 0 && file.is_as_read() && is_named_by(path);
    // Known before it has the name: whoever opens it then shares this.
    if (is_named) know(made.st_dev, made.st_ino);
    if (is_named && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0 || !is_named) {
        forget(made.st_dev, made.st_ino);
        if (to >= 0) ::close(to), ::unlink(beside.c_str());
        if (error != 0) throw sdk::retry_later("cannot cut '", path, "': ", std::generic_category().message(error));
        return false;
    }
    sync_directory_of(path);
    if (before_ >= 0) ::close(before_);
    before_ = std::exchange(descriptor_, to);
    before_size_ = copied;
    made_ = std::move(mark);
    forget(device_, inode_);
    removed_ += place - header;
    device_ = made.st_dev;
    inode_ = made.st_ino;
    return true;
}

bool shared_front::take_over_late_bytes(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return take_late(path);
}

bool shared_front::take_late(const std::string& path) {
    if (before_ < 0) return false;
    const std::uint64_t size = size_of(before_);
    if (size <= before_size_) return false;
    const int error = append(before_, before_size_, size, descriptor_);
    if (error != 0) throw sdk::retry_later("cannot put what came late behind '", path, "': ", std::generic_category().message(error));
    return true;
}

void shared_front::follow(input_file& file, std::uint64_t& removed) const {
    const std::lock_guard lock(mutex_);
    if (file.device() == device_ && file.inode() == inode_) return;
    const std::uint64_t place = file.position() + removed;
    file.take_over(descriptor_, place - removed_, made_);
    removed = removed_;
}

}  // namespace mqb::file
