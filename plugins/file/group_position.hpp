// Group position: how far a group has read a file. A sidecar holds it as decimal text; beside that, in <sidecar>.fingerprint, stands
// what was read there, so that another file under the same name is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "held_file.hpp"
#include "input_file.hpp"

namespace mqb::file {

// One thread at a time. Every failure is thrown as sdk::failure.
class group_position {
public:
    // `remedy`: what to do when it has another reader.
    group_position(std::string sidecar, std::string remedy);

    // Keeps every other reader of the group away for as long as this lives; the second time it does nothing. Throws bad_config where there is
    // one. Not empty: why it cannot be done here.
    std::string keep_alone();

    struct start {
        std::optional<std::uint64_t> offset;  // none: nothing is stored
        std::string note;                     // not empty: why it is not what the sidecar says
        bool is_other = false;                // it is not the file that was read
    };
    // Where reading goes on in the file that is open now.
    start load(const input_file& file, char delimiter) const;

    // Which file was read last, and whether a copy of it could be told from other files.
    struct identity {
        std::uint64_t device = 0, inode = 0;
        bool has_content = false;
        std::optional<std::int64_t> beside;  // when what stood beside it had changed last, when it was begun
    };
    std::optional<identity> last_read() const;

    // Takes the answer as the position, and writes it. The file, which may be another one than before, is read from there on already; is
    // it cut by now, nothing is written: what is saved says by what the rest is found in a copy.
    // goes_on: it is the one of which load() has found the place.
    void start_at(const input_file& file, std::uint64_t offset, std::int64_t beside, bool goes_on);
    // There is no file yet. What has its name later is read from its beginning.
    void start_without_file(std::int64_t beside);
    bool is_saved() const;
    // The file, in which everything before `place` is dealt with, was read so far: its first bytes are kept if they were not known yet. Costs
    // nothing once they are.
    void know(const input_file& file, std::uint64_t place);
    // It is a copy of the file that was made before that was read up to the position: nothing in it is new.
    bool has_all_of(const input_file& copy) const;
    // What was known of it when it was saved is not there any more.
    bool is_cut_since(const input_file& file, char delimiter) const { return known_ > 0 && load(file, delimiter).is_other; }

    // Everything before `offset` is dealt with. False: the file does not have these bytes any more, and nothing was written.
    bool save(const input_file& file, std::uint64_t offset);
    // What is saved next is of another file, in which everything before `offset` is dealt with. Until then the position stays where it
    // is: at the end of the file before, from which a start finds all that followed.
    void go_over(std::uint64_t offset, std::int64_t beside) noexcept { from_ = offset, beside_ = beside, known_ = 0; }
    // Nothing of the file is dealt with: the same as no position.
    void forget() noexcept;

    const std::string& sidecar() const noexcept { return sidecar_; }

private:
    std::optional<std::uint64_t> holder() const;
    // The sidecar says `before` or, when a save has got so far, `to`. Written before it. `before` is `from`, or a place in the file
    // that was read before this one.
    struct fingerprint {
        std::uint64_t before = 0, from = 0, to = 0;
        std::uint64_t device = 0, inode = 0;  // 0: there was none yet
        std::optional<std::int64_t> beside;
        std::uint64_t head_size = 0, head = 0;  // the first bytes of the file
        std::uint64_t tail_size = 0, tail = 0;  // the last ones before `to`
    };
    static std::string text_of(const fingerprint& print);
    static std::optional<fingerprint> parse(const std::string& text);
    std::optional<fingerprint> saved_print() const;
    std::optional<fingerprint> look_at(const input_file& file, std::uint64_t to) const;
    fingerprint empty_print(const input_file& file, std::uint64_t to) const;
    void write(const fingerprint& print);
    void write_fingerprint(const fingerprint& print);

    std::string sidecar_, fingerprint_file_, remedy_;
    held_file lock_;           // <sidecar>.lock, with the process id of the reader
    std::uint64_t saved_ = 0;  // what the sidecar says
    std::uint64_t from_ = 0;   // the same place, in the file that is read now
    std::int64_t beside_ = 0;
    std::uint64_t known_ = 0;  // so many first bytes of that are in the fingerprint
    bool is_written_ = false;  // the sidecar says what saved_ says
};

}  // namespace mqb::file
