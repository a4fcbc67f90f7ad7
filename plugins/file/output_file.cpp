#include "output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "small_file.hpp"

namespace mqb::file {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

output_file::opened output_file::open(char delimiter, bool durable, const std::optional<csv_row_end>& row) {
    close();
    durable_ = durable;
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
        throw sdk::failure(may_pass(error) ? sdk::status::retry : sdk::status::bad_config,
                           sdk::join("cannot open file target '", path_, "': ", reason(error)));
    }
    struct stat is {};
    if (::fstat(descriptor_, &is) != 0) throw sdk::retry_later("cannot look at file target '", path_, "': ", reason(errno));
    regular_ = S_ISREG(is.st_mode);
    if (!regular_ && path_ != standard_output)
        throw sdk::bad_config("file target '", path_, "' is a ", S_ISFIFO(is.st_mode) ? "FIFO" : "device",
                              "; besides files only /dev/stdout can be written");
    if (regular_ && durable) sync_directory();
    if (!regular_ || path_ == standard_output) return {};
    check_beginning();
    return claim_and_cut(is, delimiter, durable, row);
}

// That in which the file is: a link is followed.
void output_file::sync_directory() const {
    std::error_code unknown;
    const std::filesystem::path meant = std::filesystem::canonical(path_, unknown);
    const int error = sync_directory_of(unknown ? path_ : meant.string());
    if (error != 0)
        throw sdk::failure(
            error == EACCES ? sdk::status::bad_config : sdk::status::retry,
            sdk::join("the folder of file target '", path_, "' cannot be synchronised, as `fsync` wants it: ", reason(error)));
}

// What is appended must be readable behind what is there.
void output_file::check_beginning() const {
    char bytes[longest_beginning];
    const ssize_t size = ::pread(descriptor_, bytes, sizeof bytes, 0);
    const std::string why = why_not_appended(how_, {bytes, size > 0 ? static_cast<std::size_t>(size) : 0});
    if (!why.empty()) throw sdk::bad_config("file target '", path_, "' ", why);
}

output_file::opened output_file::claim_and_cut(const struct stat& is, char delimiter, bool durable, const std::optional<csv_row_end>& row) {
    opened answer;
    id_ = output_claim::id_of(descriptor_);
    auto size = static_cast<std::uint64_t>(is.st_size);
    answer.unclaimed = claim_.take();
    if (claim_.held()) {
        const auto left = claim_.read();
        if (left && left->file == id_ && (left->from <= size || !how_.is_plain())) {
            // A power cut may have taken the bytes behind which the batch began.
            const std::uint64_t from = left->from <= size ? left->from : 0;
            errno = 0;
            const std::uint64_t end = !how_.is_plain() ? end_of_batches(descriptor_, from, size, how_)
                                      : row            ? end_of_rows(from, size, *row)
                                                       : end_of_records(from, size, delimiter);
            if (end > size) {
                answer.uncut = errno != 0 ? errno : EIO;
            } else if (end < size && ::ftruncate(descriptor_, static_cast<off_t>(end)) != 0) {
                answer.uncut = errno;
            } else if (end < size) {
                answer.cut = size - end;
                size = end;
                if (durable) ::fdatasync(descriptor_);
            }
        }
        has_part_ = !how_.is_plain() && answer.uncut != 0;
        if (!has_part_) answer.unclaimed = claim_from(size, durable);
    }
    char last = delimiter;
    answer.unended = how_.is_plain() && size > 0 && ::pread(descriptor_, &last, 1, static_cast<off_t>(size - 1)) == 1 && last != delimiter;
    begin_ = size;
    written_ = 0;
    if (size > 0) answer.modified_ms = std::int64_t{is.st_mtim.tv_sec} * 1000 + is.st_mtim.tv_nsec / 1000000;
    return answer;
}

// Behind the last delimiter that is not before `from`; `from` if there is none, and the size where that cannot be seen.
std::uint64_t output_file::end_of_records(std::uint64_t from, std::uint64_t size, char delimiter) const {
    std::vector<char> piece(std::min<std::uint64_t>(size - from, 256 << 10));
    while (size > from) {
        const std::uint64_t at = size - std::min<std::uint64_t>(size - from, piece.size());
        if (::pread(descriptor_, piece.data(), size - at, static_cast<off_t>(at)) != static_cast<ssize_t>(size - at)) return UINT64_MAX;
        const std::size_t found = std::string_view(piece.data(), size - at).rfind(delimiter);
        if (found != std::string_view::npos) return at + found + 1;
        size = at;
    }
    return from;
}

// The same where a quoted delimiter ends nothing: a record begins at `from`, and is followed from there on.
std::uint64_t output_file::end_of_rows(std::uint64_t from, std::uint64_t size, const csv_row_end& row) const {
    csv_row_end next = row;
    std::vector<char> piece(std::min<std::uint64_t>(size - from, 256 << 10));
    std::uint64_t end = from;
    for (std::uint64_t at = from; at < size;) {
        const ssize_t got = ::pread(descriptor_, piece.data(), std::min<std::uint64_t>(size - at, piece.size()), static_cast<off_t>(at));
        if (got <= 0) return UINT64_MAX;
        at += static_cast<std::uint64_t>(got);
        std::string_view unseen(piece.data(), static_cast<std::size_t>(got));
        while (const auto found = next.find(unseen)) {
            unseen.remove_prefix(*found + 1);
            end = at - unseen.size();
            next = row;
        }
        next.forget_searched();
    }
    return end;
}

std::optional<std::string> output_file::start(std::size_t most) const {
    std::string text(std::min<std::uint64_t>(begin_, most), '\0');
    const ssize_t size = ::pread(descriptor_, text.data(), text.size(), 0);
    if (size < 0) return std::nullopt;
    text.resize(static_cast<std::size_t>(size));
    return text;
}

int output_file::claim_from(std::uint64_t from, bool durable) {
    claimed_ = from;
    const int error = claim_.write(output_claim::place{from, id_}, durable);
    alone_ = error == 0;
    return error;
}

// A file that somebody else cut is ours from there on; where somebody else appends, the last bytes may be theirs at any time.
void output_file::watch_others(std::uint64_t size) {
    const std::uint64_t expected = begin_ + written_;
    if (!alone_ || size == expected) return;
    alone_ = false;
    if (size < expected)
        claim_from(size, false);
    else
        claim_.write(std::nullopt, false);
}

// What is whole needs no second look after a kill, and a look costs the time that reading takes. Where a batch begins cannot be seen in a
// packed file; an older claim that stays costs time only.
void output_file::move_claim() {
    constexpr std::uint64_t far = 64 << 20;
    if (!how_.is_plain() && alone_) claim_.write(output_claim::place{begin_, id_}, false);
    if (how_.is_plain() && alone_ && begin_ - claimed_ > far) claim_from(begin_, durable_);
}

void output_file::close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

output_file::fate output_file::begin_batch() {
    struct stat is {
    }, named{};
    if (!regular_ || ::fstat(descriptor_, &is) != 0) {
        written_ = 0;
        return fate::here;
    }
    watch_others(static_cast<std::uint64_t>(is.st_size));
    written_ = 0;
    begin_ = static_cast<std::uint64_t>(is.st_size);
    move_claim();
    if (is.st_nlink == 0) return fate::removed;
    if (path_ == standard_output) return fate::here;
    const bool there = ::stat(path_.c_str(), &named) == 0;
    if (!there) return errno == ENOENT ? fate::moved : fate::here;
    return named.st_dev == is.st_dev && named.st_ino == is.st_ino ? fate::here : fate::moved;
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
        all_written_ += static_cast<std::uint64_t>(size);
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    was_full_ = false;
    return 0;
}

bool output_file::take_back() {
    struct stat is {};
    // Somebody else's records behind ours are not ours to cut.
    const bool is_last = regular_ && ::fstat(descriptor_, &is) == 0 && static_cast<std::uint64_t>(is.st_size) == begin_ + written_;
    if (is_last && ::ftruncate(descriptor_, static_cast<off_t>(begin_)) == 0) written_ = 0;
    has_part_ = has_part_ || (written_ > 0 && !how_.is_plain());
    return written_ == 0;
}

int output_file::sync() { return !is_synced() || ::fdatasync(descriptor_) == 0 ? 0 : errno; }

}  // namespace mqb::file
