// Part sender: writes batches into a part directory, each message once however often it comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mqb/sdk/send_call.hpp>

#include "config.hpp"
#include "part_directory.hpp"
#include "record_writer.hpp"
#include "source_position.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

// A part holds messages of one batch that follow each other in their source without a gap: so its name says exactly what is in it,
// and a message that a part has is not written again.
class part_sender {
public:
    // `records` outlives it.
    part_sender(const config& chosen, record_writer& records);

    // Throws sdk::failure.
    void open() { parts_.open(durable_); }
    sdk::status send(const sdk::send_call& call);

private:
    static constexpr std::size_t piece = 256 << 10;

    // A message that is in a part, or can be in none.
    struct dealt_with {
        std::uint32_t index;
        std::string refused_why;  // empty: it is in a part
    };

    int take(const sdk::message_view& message, const source_position& at);
    void refuse(std::uint32_t index, std::string_view why) { dealt_with_.push_back({index, text(why)}); }
    int finish();
    int flush();
    // What was dealt with so far, once the names are on the disk; else that is an answer to all.
    int answer(const sdk::send_call& call) const;
    sdk::status fail_sync(const sdk::send_call& call, int error) const;
    std::string text(std::string_view what) const;
    sdk::status fail(const sdk::send_call& call, int error);

    std::optional<std::uint64_t> max_message_bytes_;
    bool durable_;
    record_writer& records_;
    part_directory parts_;
    position_reader positions_;
    text_buffer buffer_;
    std::uint32_t begin_ = 0, end_ = 0;   // the messages of the part that is begun
    std::vector<dealt_with> dealt_with_;  // of this send, in order
};

}  // namespace mqb::file
