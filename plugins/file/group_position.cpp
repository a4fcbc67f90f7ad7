#include "group_position.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <system_error>

#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "small_file.hpp"

namespace mqb::file {
namespace {

constexpr std::uint64_t most_head = 1024, most_tail = 64;

// None: these bytes are not there.
std::optional<std::uint64_t> checksum_of(int file, std::uint64_t at, std::uint64_t size) {
    std::array<char, most_head> bytes;
    std::size_t have = 0;
    while (have < size) {
        const ssize_t got = ::pread(file, bytes.data() + have, size - have, static_cast<off_t>(at + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return std::nullopt;
        have += static_cast<std::size_t>(got);
    }
    return checksum({bytes.data(), have});
}

bool is_record_start(int file, std::uint64_t offset, std::uint64_t size, char delimiter) {
    char before = 0;
    return offset == 0 || offset == size || (::pread(file, &before, 1, static_cast<off_t>(offset - 1)) == 1 && before == delimiter);
}

}  // namespace

group_position::group_position(const std::string& path, const std::string& group)
    : sidecar_(path + "." + group + ".offset"), fingerprint_file_(sidecar_ + ".fingerprint"), lock_(sidecar_ + ".lock") {}

std::string group_position::keep_alone() {
    if (lock_.held()) return {};
    const int error = lock_.take();
    if (error == EWOULDBLOCK) {
        const std::optional<std::uint64_t> process = position_from(read_small_file(lock_.path()).value_or(""));
        throw sdk::bad_config("'", sidecar_, "' has a reader already, ",
                              process ? sdk::join("process ", *process) : std::string("another process"),
                              process == static_cast<std::uint64_t>(::getpid()) ? ", this one" : "",
                              ": each group of a file has one; give this one another `group_id`");
    }
    if (error != 0) return sdk::join("'", lock_.path(), "' cannot be locked: ", std::generic_category().message(error));
    const std::string text = sdk::join(::getpid(), "\n");
    const bool is_written = ::ftruncate(lock_.descriptor(), 0) == 0 &&
                            ::pwrite(lock_.descriptor(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    return is_written ? std::string() : sdk::join("'", lock_.path(), "' cannot be written: ", std::generic_category().message(errno));
}

group_position::start group_position::load(int file, std::uint64_t size, char delimiter) const {
    const std::optional<std::string> text = read_small_file(sidecar_);
    if (!text) return {};
    const std::optional<std::string> beside = read_small_file(fingerprint_file_);
    const std::optional<fingerprint> found = beside ? parse(*beside) : std::nullopt;
    const fingerprint print = found.value_or(fingerprint{});
    const std::optional<std::uint64_t> offset = position_from(*text);
    const auto from_the_beginning = [](auto... why) { return start{0, sdk::join(why..., "; it is read from its beginning")}; };

    const std::uint64_t reached = found ? print.to : offset.value_or(0);
    if (reached > size) return from_the_beginning("was truncated: ", reached, " bytes of it were read and it has ", size);
    if (found && (checksum_of(file, 0, print.head_size) != print.head ||
                  checksum_of(file, print.to - print.tail_size, print.tail_size) != print.tail))
        return from_the_beginning("was replaced: it is not the one that was read up to byte ", reached);
    if (found && offset && (*offset <= print.from || *offset == print.to)) return {offset, {}};
    if (found)
        return {print.from, sdk::join("'", sidecar_, "' is damaged; reading goes on at byte ", print.from,
                                      ", the last position that is known to have been written")};
    if (!offset || !is_record_start(file, *offset, size, delimiter)) return from_the_beginning("'", sidecar_, "' is damaged");
    return {offset, beside ? sdk::join("'", fingerprint_file_, "' is damaged or of another version; the position in '", sidecar_,
                                       "' is taken as it is")
                           : std::string()};
}

void group_position::start_at(int file, std::uint64_t offset) {
    saved_ = offset;
    last_.reset();
    save(file, offset);
}

bool group_position::save(int file, std::uint64_t offset) {
    const std::optional<fingerprint> print = look_at(file, saved_, offset);
    if (!print || !recognises(file)) return false;
    // A fingerprint that a power cut takes away costs repeats at most: only the position itself is synchronised.
    int error = replace_small_file(fingerprint_file_, text_of(*print), false);
    if (error == 0) error = replace_small_file(sidecar_, position_text(offset), true);
    if (error != 0) throw sdk::retry_later("cannot write '", sidecar_, "': ", std::generic_category().message(error));
    saved_ = offset;
    last_ = print;
    return true;
}

bool group_position::recognises(int file) const { return !last_ || checksum_of(file, 0, last_->head_size) == last_->head; }

std::optional<group_position::fingerprint> group_position::look_at(int file, std::uint64_t from, std::uint64_t to) {
    fingerprint print{from, to, std::min(to, most_head), 0, std::min(to, most_tail), 0};
    const auto head = checksum_of(file, 0, print.head_size), tail = checksum_of(file, to - print.tail_size, print.tail_size);
    if (!head || !tail) return std::nullopt;
    print.head = *head;
    print.tail = *tail;
    return print;
}

std::string group_position::text_of(const fingerprint& print) {
    const std::string text =
        sdk::join("1 ", print.from, " ", print.to, " ", print.head_size, " ", print.head, " ", print.tail_size, " ", print.tail, " ");
    return sdk::join(text, checksum(text), "\n");
}

std::optional<group_position::fingerprint> group_position::parse(const std::string& text) {
    fingerprint print;
    std::uint64_t sum = 0;
    int summed = 0;
    if (std::sscanf(text.c_str(),
                    "1 %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n%" SCNu64,  //
                    &print.from, &print.to, &print.head_size, &print.head, &print.tail_size, &print.tail, &summed, &sum) != 7 ||
        checksum(std::string_view(text).substr(0, static_cast<std::size_t>(summed))) != sum)
        return std::nullopt;
    if (print.head_size > most_head || print.tail_size > std::min(most_tail, print.to)) return std::nullopt;
    return print;
}

}  // namespace mqb::file
