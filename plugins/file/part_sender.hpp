// Part sender: writes batches into a part directory, each message once however often it comes.
#pragma once

#include <cstdint>
#include <string>

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
    void open() { parts_.open(); }
    sdk::status send(const sdk::send_call& call);

private:
    static constexpr std::size_t piece = 256 << 10;

    int take(const sdk::send_call& call, const sdk::message_view& message, const source_position& at);
    int finish(const sdk::send_call& call);
    int flush();
    std::string text(std::string_view what) const;
    sdk::status fail(const sdk::send_call& call, int error);

    std::optional<std::uint64_t> max_message_bytes_;
    bool durable_;
    record_writer& records_;
    part_directory parts_;
    position_reader positions_;
    text_buffer buffer_;
    std::uint32_t begin_ = 0, end_ = 0;  // the messages of the part that is begun
};

}  // namespace mqb::file
