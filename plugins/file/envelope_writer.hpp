// Envelope writer: one message as one line of JSON (envelope_reader.hpp has the grammar).
//
// normal: the payload is a string, or `payload_base64`; empty metadata is left out.
// text:   the payload is a string.    json: the payload is the JSON value that it is.    Otherwise both: an array of bytes, and
//         the metadata say so.
#pragma once

#include <string>

#include <mqb/sdk/metadata.hpp>

#include "json_check.hpp"
#include "record_format.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

class envelope_writer {
public:
    envelope_writer(record_format of, char delimiter) noexcept : format_(of), delimiter_(delimiter) {}

    // Appends the line and its delimiter.
    void append(const mqb_message& message, text_buffer& to);

private:
    void append_metadata(sdk::metadata_view block, bool as_bytes, bool no_payload, text_buffer& to);

    record_format format_;
    char delimiter_;
    json_check check_;
    std::string scratch_;
};

}  // namespace mqb::file
