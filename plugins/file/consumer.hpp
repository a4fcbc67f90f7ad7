// Consumer: reads a file from its first byte, or from where its group was, to its end, and then what is appended and the files
// that come after it under its name, or ends there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mqb/sdk/batch_pool.hpp>
#include <mqb/sdk/consumer.hpp>
#include <mqb/sdk/promises.hpp>

#include "block.hpp"
#include "config.hpp"
#include "file_order.hpp"
#include "intake.hpp"
#include "packed_input.hpp"

namespace mqb::file {

// Everything answers at once: no thread, no lock. At the end of the file the host asks again after its poll interval.
class consumer : public sdk::consumer {
public:
    consumer(const sdk::context& made, config chosen);
    static sdk::promises promise(const config& chosen);

    void connect();
    sdk::status receive(sdk::receive_call& call);
    void settle(sdk::settle_call& call);
    void free_batch(void* batch);
    sdk::status control(sdk::control_call& call);

private:
    // What is known of a batch that was given.
    struct given {
        std::uint64_t lane = 0;
        std::uint64_t file = 0;
        std::uint32_t settled = 0;
        std::vector<std::uint64_t> ends;  // of a group: the byte behind each message
    };

    // A record of which no message can be made, on its way into a batch: its first max_record_bytes bytes.
    struct broken_record {
        std::string bytes;
        std::string reason;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint64_t number = 0;  // among the records of the file, from 0
        std::uint64_t passed = 0;  // while it is not whole: so many bytes of it were read and are in the block no more
        bool whole = false;
    };

    // Of the text that is read: of a packed file what it holds.
    std::size_t read(std::span<char> to) { return packed_ ? packed_->read(to) : input().read(to); }
    std::uint64_t position() noexcept { return packed_ ? packed_->position() : input().position(); }

    void begin_file();
    void resume(std::uint64_t position);
    void go_on(sdk::batch& to, std::vector<std::uint64_t>& ends);
    void end_packed();
    void fill(sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call);
    look take(bool at_end, sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call);
    input_file& input() noexcept { return files_->current().bytes; }
    std::uint64_t reached() noexcept { return files_->current().removed + position() - block_.unread().size(); }
    // What was read of a record that is not whole.
    std::uint64_t unfinished() const noexcept { return block_.unread().size() + broken_.passed; }
    bool has_quiet_tail();
    bool knows_start(bool at_end);
    void keep(const look& record);
    void set_aside(const look& record);
    bool put_aside(sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call);
    void name_source(sdk::batch& to, std::uint32_t from);
    void name_source(sdk::added_message message, std::uint64_t number) const;
    void pass_on_warnings();

    config config_;
    bool drains_;
    std::unique_ptr<file_order> files_;
    std::optional<packed_input> packed_;  // of the current file; none: the text is the file itself
    block block_;
    std::unique_ptr<intake> intake_;
    sdk::batch_pool<given> batches_;
    std::uint64_t lane_ = 0;     // another one after a batch was freed unsettled
    std::uint64_t begin_ = 0;    // where reading of this file began
    std::uint64_t records_ = 0;  // of it so far
    std::uint64_t epoch_ = 0;    // when that began, ms since 1970; another one each time
    std::uint64_t readings_ = 0;
    bool has_begun_ = false;   // the current file: all that begin_file() does is done
    bool has_epoch_ = false;   // the numbers of this reading may be those of other records in another one
    bool rewinds_ = false;     // what was freed unsettled comes again
    bool file_ended_ = false;  // the current file is over, and another one follows
    bool told_end_ = false;
    bool start_known_ = false;
    bool asks_for_earlier_ = false;                 // reading of the file begins with its first byte, and nothing of it was taken yet
    std::uint64_t tail_size_ = 0, tail_since_ = 0;  // where records are deleted: of a last record without delimiter
    bool ended_ = false;                            // END was reached: it stays so
    broken_record broken_;
    std::optional<sdk::failure> postponed_;  // to be told when what was read before it has been given
};

}  // namespace mqb::file
