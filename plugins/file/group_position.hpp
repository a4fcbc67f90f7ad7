// Group position: how far a group has read a file. The sidecar <path>.<group>.offset holds it as decimal text; beside that, in
// <path>.<group>.offset.fingerprint, stands what was read there, so that another file under the same name is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "held_file.hpp"

namespace mqb::file {

// One thread at a time. Every failure is thrown as sdk::failure.
class group_position {
public:
    group_position(const std::string& path, const std::string& group);

    // Keeps every other reader of the group away for as long as this lives; the second time it does nothing. Throws bad_config where there is
    // one. Not empty: why it cannot be done here.
    std::string keep_alone();

    struct start {
        std::optional<std::uint64_t> offset;  // none: nothing is stored
        std::string note;                     // not empty: why it is not what the sidecar says
    };
    // Where reading goes on in the file that is open now.
    start load(int file, std::uint64_t size, char delimiter) const;

    // Takes the answer as the position, and writes it.
    void start_at(int file, std::uint64_t offset);

    // Everything before `offset` is dealt with. False: the file does not have these bytes any more, and nothing was written.
    bool save(int file, std::uint64_t offset);
    std::uint64_t saved() const noexcept { return saved_; }
    // The file still begins as it did at the last save.
    bool recognises(int file) const;

    const std::string& sidecar() const noexcept { return sidecar_; }

private:
    // The sidecar says `from` or, when a save has got so far, `to`. Written before it.
    struct fingerprint {
        std::uint64_t from = 0, to = 0;
        std::uint64_t head_size = 0, head = 0;  // the first bytes of the file
        std::uint64_t tail_size = 0, tail = 0;  // the last ones before `to`
    };
    static std::string text_of(const fingerprint& print);
    static std::optional<fingerprint> parse(const std::string& text);
    static std::optional<fingerprint> look_at(int file, std::uint64_t from, std::uint64_t to);

    std::string sidecar_, fingerprint_file_;
    held_file lock_;  // <path>.<group>.offset.lock, with the process id of the reader
    std::uint64_t saved_ = 0;
    std::optional<fingerprint> last_;
};

}  // namespace mqb::file
