// Publisher: appends each batch to a file, whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mqb/sdk/promises.hpp>
#include <mqb/sdk/publisher.hpp>

#include "batch_packer.hpp"
#include "config.hpp"
#include "output_file.hpp"
#include "part_sender.hpp"
#include "periodic_sync.hpp"
#include "record_writer.hpp"
#include "rolling.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

// Everything answers at once; nothing is held between sends.
class publisher : public sdk::publisher {
public:
    publisher(const sdk::context& made, config chosen);
    ~publisher();
    static sdk::promises promise(const config& chosen);

    void connect();
    sdk::status send(sdk::send_call& call);

    // False also after a send that could not open its file again; the next one tries that once more.
    bool is_open() const noexcept { return output_.is_open(); }
    // After a send that is done, while nothing else was sent: cuts what it has written from the file. False: that is not possible, and it
    // stays.
    bool take_back();
    // Not empty: what was acknowledged may not be on the disk, and the file has to be opened again.
    std::string unsynced();

private:
    // Written in pieces of about this size: a batch is never in memory twice.
    static constexpr std::size_t piece = 256 << 10;

    // A message that can never be a record here.
    struct refusal {
        std::uint32_t index;
        std::string why;
    };

    // Opens the file and says what is odd about it. Throws sdk::failure.
    void open();
    void open_file();
    void check_packed(const output_file::opened& is);
    void open_again();
    void close();
    void follow_start();
    std::optional<std::string> start_of_text();
    // Begins to write into the file that the path names. False: it was removed.
    bool begin();
    void roll();

    // Writes messages from `first` on, until the file has no room for the next. `end` is behind the last that was written, or refused.
    int write_run(const sdk::send_call& call, std::uint32_t first, std::uint32_t& end);
    // Full: not_written, and nothing of it is in the file or the buffer.
    int append(const sdk::message_view& message);
    int append_large(const sdk::message_view& message);
    // Where the file ends with the text of this run so far and so much more; a packed one at the latest.
    std::uint64_t end_of_run(std::uint64_t more = 0) const {
        const std::uint64_t text = run_text_ + buffer_.size() + more;
        return run_begin_ + (packer_ ? packer_->most(text) : text);
    }
    bool has_room_until(std::uint64_t end, std::uint64_t begin) const;
    void refuse(const sdk::message_view& message, std::string_view why);
    bool is_too_long(const sdk::message_view& message) const;
    // What was written, or refused, of the messages of this run.
    void answer(const sdk::send_call& call, std::uint32_t first, std::uint32_t end) const;
    void tell_warnings();
    int write_out(std::string_view text, bool last);
    int flush(bool last = false);
    int sync();
    std::string unsynced_text(int error) const;
    sdk::status fail(const sdk::send_call& call, std::uint32_t first, int error);
    sdk::status fail_sync(const sdk::send_call& call, std::uint32_t first, int error);
    std::int64_t now_ms() const { return static_cast<std::int64_t>(host().wall() / 1000000); }

    static constexpr int not_written = -1;  // no errno

    config config_;
    output_file output_;
    std::unique_ptr<batch_packer> packer_;  // none: the text is written as it is
    std::optional<periodic_sync> periodic_;
    bool told_unsynced_ = false;
    std::optional<rolling> rolling_;
    bool was_open_ = false;
    bool cannot_roll_ = false;  // this send goes on in the file; told
    char delimiter_;
    record_writer records_;
    std::optional<part_sender> parts_;  // instead of the one file
    text_buffer buffer_;
    std::uint64_t run_begin_ = 0, run_text_ = 0;  // where the run begins in the file, and how much text of it has left the buffer
    std::vector<std::uint64_t> ends_;             // of the run: where in it each message ends
    std::vector<refusal> refused_;                // of the run, in order
    bool mend_ = false;                           // the file's last record lacks its delimiter
    bool starts_ = false;                         // there is something in the file, but no record yet
    // Of the send: how many runs it had, and what held before the first one.
    std::uint32_t runs_ = 0;
    bool mend_before_ = false, starts_before_ = false;
};

}  // namespace mqb::file
