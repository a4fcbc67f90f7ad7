// Publisher: appends each batch to a file, whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mqb/sdk/promises.hpp>
#include <mqb/sdk/publisher.hpp>

#include "config.hpp"
#include "envelope_writer.hpp"
#include "output_file.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

// Everything answers at once; nothing is held between sends.
class publisher : public sdk::publisher {
public:
    publisher(const sdk::context& made, config chosen);
    static sdk::promises promise(const config& chosen);

    void connect();
    sdk::status send(sdk::send_call& call);

private:
    // Written in pieces of about this size: a batch is never in memory twice.
    static constexpr std::size_t piece = 256 << 10;

    int write_all(const sdk::send_call& call);
    int append(sdk::message_view message);
    bool is_too_long(sdk::message_view message) const;
    // The answer to a message that was written, or left out for its length.
    void answer(const sdk::send_call& call, std::uint32_t index) const;
    int write_out(std::string_view text);
    int flush();
    sdk::status fail(const sdk::send_call& call, int error);

    config config_;
    output_file output_;
    char delimiter_;
    std::optional<envelope_writer> envelope_;  // none: raw
    text_buffer buffer_;
    std::vector<std::uint64_t> ends_;  // of the batch: where in it each message ends
    bool mend_ = false;                // the file's last record lacks its delimiter
};

}  // namespace mqb::file
