// Envelope reader: a line of JSON with id, payload and metadata of one message.
//
//   envelope := {"message_id": id, "payload": any | "payload_base64": text, "metadata": {text: text …}}      other keys: ignored
//   id       := text | whole number | {"$oid": hex}
#pragma once

#include <string_view>

#include "envelope.hpp"
#include "json_check.hpp"
#include "record_format.hpp"

namespace mqb::file {

class envelope_reader {
public:
    explicit envelope_reader(record_format of) noexcept : format_(of) {}

    // How much a line of this size can need.
    static std::size_t most_room(std::size_t line) noexcept { return 2 * line + 128; }

    // `to` has most_room for the line.
    envelope read(std::string_view line, char* to);
    // The same without the short way for plain envelopes.
    envelope read_any(std::string_view line, char* to);

private:
    record_format format_;
    json_check check_;
};

}  // namespace mqb::file
