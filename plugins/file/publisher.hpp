// Publisher: appends each batch to a file, whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mqb/sdk/promises.hpp>
#include <mqb/sdk/publisher.hpp>

#include "config.hpp"
#include "output_file.hpp"
#include "periodic_sync.hpp"
#include "record_writer.hpp"
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

private:
    // Written in pieces of about this size: a batch is never in memory twice.
    static constexpr std::size_t piece = 256 << 10;

    // A message that can never be a record here.
    struct refusal {
        std::uint32_t index;
        std::string why;
    };

    void open();
    void close();
    void follow_start();
    int write_all(const sdk::send_call& call);
    int append(sdk::message_view message);
    void refuse(const sdk::message_view& message, std::string_view why);
    bool is_too_long(const sdk::message_view& message) const;
    // What was written, or refused, of the messages before `end`.
    void answer(const sdk::send_call& call, std::uint32_t end) const;
    void tell_warnings();
    int flush();
    int sync();
    std::string unsynced_text(int error) const;
    sdk::status fail(const sdk::send_call& call, int error);
    sdk::status fail_sync(const sdk::send_call& call, int error);

    config config_;
    output_file output_;
    std::optional<periodic_sync> periodic_;
    bool told_unsynced_ = false;
    char delimiter_;
    record_writer records_;
    text_buffer buffer_;
    std::vector<std::uint64_t> ends_;  // of the batch: where in it each message ends
    std::vector<refusal> refused_;     // of the batch, in order
    bool mend_ = false;                // the file's last record lacks its delimiter
    bool starts_ = false;              // there is something in the file, but no record yet
};

}  // namespace mqb::file
