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
    };
    std::optional<identity> last_read() const;

    // Takes the answer as the position, and writes it. The file, which may be another one than before, is read from there on already; is
    // it cut by now, nothing is written: what is saved says by what the rest is found in a copy.
    void start_at(const input_file& file, std::uint64_t offset);

    // Everything before `offset` is dealt with. False: the file does not have these bytes any more, and nothing was written.
    bool save(const input_file& file, std::uint64_t offset);
    // What is saved next is of another file, in which everything before `offset` is dealt with. Until then the position stays where it
    // is: at the end of the file before, from which a start finds all that followed.
    void go_over(std::uint64_t offset) noexcept { from_ = offset; }
    // Nothing of the file is dealt with: the same as no position.
    void forget() noexcept;

    const std::string& sidecar() const noexcept { return sidecar_; }

private:
    std::optional<std::uint64_t> holder() const;
    // The sidecar says `before` or, when a save has got so far, `to`. Written before it. `before` is `from`, or a place in the file
    // that was read before this one.
    struct fingerprint {
        std::uint64_t before = 0, from = 0, to = 0;
        std::uint64_t device = 0, inode = 0;
        std::uint64_t head_size = 0, head = 0;  // the first bytes of the file
        std::uint64_t tail_size = 0, tail = 0;  // the last ones before `to`
    };
    static std::string text_of(const fingerprint& print);
    static std::optional<fingerprint> parse(const std::string& text);
    std::optional<fingerprint> look_at(const input_file& file, std::uint64_t to) const;
    void write(const fingerprint& print);

    std::string sidecar_, fingerprint_file_, remedy_;
    held_file lock_;           // <sidecar>.lock, with the process id of the reader
    std::uint64_t saved_ = 0;  // what the sidecar says
    std::uint64_t from_ = 0;   // the same place, in the file that is read now
};

}  // namespace mqb::file
