#include "group_position.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>
#include <thread>

#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "small_file.hpp"

namespace mqb::file {
namespace {

constexpr std::uint64_t most_head = 1024, most_tail = 64;

// None: these bytes are not there.
std::optional<std::uint64_t> checksum_of(int file, std::uint64_t at, std::uint64_t size) {
    const std::string bytes = bytes_at(file, at, size);
    return bytes.size() == size ? std::optional(checksum(bytes)) : std::nullopt;
}

sdk::failure unwritten(const std::string& sidecar, int error) {
    return sdk::retry_later("cannot write '", sidecar, "': ", std::generic_category().message(error));
}

bool is_record_start(int file, std::uint64_t offset, std::uint64_t size, char delimiter) {
    return offset == 0 || offset == size || bytes_at(file, offset - 1, 1) == std::string(1, delimiter);
}

}  // namespace

group_position::group_position(std::string sidecar, std::string remedy)
    : sidecar_(std::move(sidecar)), fingerprint_file_(sidecar_ + ".fingerprint"), remedy_(std::move(remedy)), lock_(sidecar_ + ".lock") {}

void group_position::forget() noexcept {
    ::unlink(sidecar_.c_str());
    ::unlink(fingerprint_file_.c_str());
    known_ = 0;
    is_written_ = false;
}

// Who has just taken the lock writes its number a moment later.
std::optional<std::uint64_t> group_position::holder() const {
    std::optional<std::uint64_t> process;
    for (int look = 0; look < 500 && !process; ++look) {
        if (look != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        process = position_from(read_small_file(lock_.path()).value_or(""));
    }
    return process;
}

std::string group_position::keep_alone() {
    if (lock_.held()) return {};
    const int error = lock_.take();
    if (error == EWOULDBLOCK) {
        const std::optional<std::uint64_t> process = holder();
        throw sdk::bad_config("'", sidecar_, "' has a reader already, ",
                              process ? sdk::join("process ", *process) : std::string("another process"),
                              process == static_cast<std::uint64_t>(::getpid()) ? ", this one" : "", ": ", remedy_);
    }
    if (error != 0) return sdk::join("'", lock_.path(), "' cannot be locked: ", std::generic_category().message(error));
    const std::string text = sdk::join(::getpid(), "\n");
    const bool is_written = ::ftruncate(lock_.descriptor(), 0) == 0 &&
                            ::pwrite(lock_.descriptor(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    return is_written ? std::string() : sdk::join("'", lock_.path(), "' cannot be written: ", std::generic_category().message(errno));
}

group_position::start group_position::load(const input_file& from, char delimiter) const {
    const std::optional<std::string> text = read_small_file(sidecar_);
    if (!text) return {};
    const int file = from.descriptor();
    const std::uint64_t size = from.size();
    const std::optional<std::string> beside = read_small_file(fingerprint_file_);
    const std::optional<fingerprint> found = beside ? parse(*beside) : std::nullopt;
    const fingerprint print = found.value_or(fingerprint{});
    const std::optional<std::uint64_t> offset = position_from(*text);
    const auto from_the_beginning = [](auto... why) { return start{0, sdk::join(why..., "; it is read from its beginning"), false}; };
    const auto another = [&](auto... why) {
        start other = from_the_beginning(why...);
        other.is_other = true;
        return other;
    };

    const std::uint64_t reached = found ? print.to : offset.value_or(0);
    if (reached > size) return another("was truncated: ", reached, " bytes of it were read and it has ", size);
    if (found && (checksum_of(file, 0, print.head_size) != print.head ||
                  checksum_of(file, print.to - print.tail_size, print.tail_size) != print.tail)) {
        if (print.inode == from.inode() && print.device == from.device())
            return another("was truncated and written again since it was read up to byte ", reached);
        return another("was replaced: it is not the one that was read up to byte ", reached);
    }
    if (found && offset == print.to) return {offset, {}, false};
    if (found && offset == print.before) return {print.from, {}, false};
    if (found && offset && *offset <= print.from) return {offset, {}, false};
    if (found)
        return {print.from,
                sdk::join("'", sidecar_, "' is damaged; reading goes on at byte ", print.from,
                          ", the last position that is known to have been written"),
                false};
    if (!offset || !is_record_start(file, *offset, size, delimiter)) return from_the_beginning("'", sidecar_, "' is damaged");
    return {
        offset,
        beside ? sdk::join("'", fingerprint_file_, "' is damaged or of another version; the position in '", sidecar_, "' is taken as it is")
               : std::string(),
        false};
}

std::optional<group_position::fingerprint> group_position::saved_print() const {
    const std::optional<std::string> text = read_small_file(fingerprint_file_);
    return text ? parse(*text) : std::nullopt;
}

std::optional<group_position::identity> group_position::last_read() const {
    const std::optional<fingerprint> print = saved_print();
    if (!print || (print->inode == 0 && !print->beside)) return std::nullopt;
    return identity{print->device, print->inode, print->head_size > 0, print->beside};
}

bool group_position::has_all_of(const input_file& copy) const {
    const std::optional<fingerprint> print = saved_print();
    return print && print->head_size == most_head && copy.size() <= print->to &&
           checksum_of(copy.descriptor(), 0, most_head) == print->head;
}

bool group_position::is_saved() const { return read_small_file(sidecar_).has_value(); }

void group_position::start_at(const input_file& file, std::uint64_t offset, std::int64_t beside, bool goes_on) {
    // A kill before the sidecar is written leaves what it says now, be it of another file.
    saved_ = position_from(read_small_file(sidecar_).value_or("")).value_or(offset);
    from_ = offset;
    beside_ = beside;
    known_ = 0;
    is_written_ = false;
    std::optional<fingerprint> print = look_at(file, offset);
    // Of what was saved before the file has been seen to have it, by which a copy of it is known if it is cut just now.
    const std::optional<fingerprint> before = goes_on ? saved_print() : std::nullopt;
    if (print && before && before->head_size > 0) print->head_size = before->head_size, print->head = before->head;
    // While it is being cut, what was saved before says by what the rest is found.
    if (print && file.mark().holds_in(file.descriptor())) write(*print);
}

void group_position::start_without_file(std::int64_t beside) {
    fingerprint print;
    print.beside = beside;
    print.head = print.tail = checksum({});
    write(print);
}

void group_position::know(const input_file& file, std::uint64_t place) {
    const std::string_view head = file.mark().head();
    if (head.size() <= known_) return;
    if (place > head.size()) {
        save(file, place);
        return;
    }
    // By what was read, and not by what is there now: it may be cut by now.
    fingerprint print = empty_print(file, place);
    const std::string_view tail = head.substr(place - print.tail_size, print.tail_size);
    print.head_size = head.size();
    print.head = checksum(head);
    print.tail = checksum(tail);
    if (!is_written_) return write(print);
    write_fingerprint(print);  // of the sidecar it says what it says there, also while that is a place in the file before
}

bool group_position::save(const input_file& file, std::uint64_t offset) {
    const std::optional<fingerprint> print = look_at(file, offset);
    // Looked at afterwards: if it still is what was read, these were its bytes.
    if (!print || !file.mark().holds_in(file.descriptor())) return false;
    write(*print);
    return true;
}

void group_position::write(const fingerprint& print) {
    write_fingerprint(print);
    if (const int error = replace_small_file(sidecar_, position_text(print.to), true); error != 0) throw unwritten(sidecar_, error);
    saved_ = from_ = print.to;
    is_written_ = true;
}

// One that a power cut takes away costs repeats at most: only the position itself is synchronised.
void group_position::write_fingerprint(const fingerprint& print) {
    if (const int error = replace_small_file(fingerprint_file_, text_of(print), false); error != 0) throw unwritten(sidecar_, error);
    known_ = print.head_size;
}

group_position::fingerprint group_position::empty_print(const input_file& file, std::uint64_t to) const {
    fingerprint print{saved_, from_, to, file.device(), file.inode(), beside_};
    print.tail_size = std::min(to, most_tail);
    return print;
}

std::optional<group_position::fingerprint> group_position::look_at(const input_file& file, std::uint64_t to) const {
    // Of a file of which nothing is dealt with yet the first bytes are known all the same.
    fingerprint print = empty_print(file, to);
    print.head_size = std::min(std::max(to, file.size()), most_head);
    const auto head = checksum_of(file.descriptor(), 0, print.head_size);
    const auto tail = checksum_of(file.descriptor(), to - print.tail_size, print.tail_size);
    if (!head || !tail) return std::nullopt;
    print.head = *head;
    print.tail = *tail;
    return print;
}

// print := "3 " before from to device inode beside head-size head tail-size tail sum LF. Version 2 has no `beside`, version 1, which other
// programs of ours wrote, neither that nor `before` nor the identity of the file.
std::string group_position::text_of(const fingerprint& print) {
    const std::string text =
        sdk::join("3 ", print.before, " ", print.from, " ", print.to, " ", print.device, " ", print.inode, " ", print.beside.value_or(0),
                  " ", print.head_size, " ", print.head, " ", print.tail_size, " ", print.tail, " ");
    return sdk::join(text, checksum(text), "\n");
}

std::optional<group_position::fingerprint> group_position::parse(const std::string& text) {
    std::array<std::uint64_t, 11> number{};
    const char version = text.size() > 1 && text[1] == ' ' ? text[0] : '0';
    if (version < '1' || version > '3') return std::nullopt;
    const std::size_t count = version == '1' ? 7 : version == '2' ? 10 : 11;
    const char *at = text.data() + 2, *const end = text.data() + text.size(), *sum = at;
    for (std::size_t i = 0; i < count; ++i) {
        sum = at;
        const auto [behind, error] = std::from_chars(at, end, number[i]);
        if (error != std::errc{} || behind == end || (*behind != ' ' && *behind != '\n')) return std::nullopt;
        at = behind + 1;
    }
    if (checksum(std::string_view(text.data(), static_cast<std::size_t>(sum - text.data()))) != number[count - 1]) return std::nullopt;
    fingerprint print;
    const std::uint64_t* const sums = number.data() + count - 5;
    print.head_size = sums[0], print.head = sums[1], print.tail_size = sums[2], print.tail = sums[3];
    print.before = print.from = number[0], print.to = number[1];
    if (version >= '2') print.from = number[1], print.to = number[2], print.device = number[3], print.inode = number[4];
    if (version == '3') print.beside = static_cast<std::int64_t>(number[5]);
    if (print.head_size > most_head || print.tail_size > std::min(most_tail, print.to)) return std::nullopt;
    return print;
}

}  // namespace mqb::file
