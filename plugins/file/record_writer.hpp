// Record writer: what a message becomes in a file, whatever the format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mqb/sdk/message.hpp>

#include "config.hpp"
#include "csv_row_end.hpp"
#include "csv_writer.hpp"
#include "envelope_writer.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

class record_writer {
public:
    explicit record_writer(const config& of);

    // A record is the payload and the delimiter, nothing else.
    bool is_plain() const noexcept { return !envelope_ && !csv_; }

    // Appends the record and its delimiter. is_first: of the file. Nothing: done; else why this message can never be a record, valid
    // until the next call, and nothing was appended.
    std::string_view append(const sdk::message_view& message, bool is_first, text_buffer& to);

    // How a record ends, where not every delimiter ends one.
    std::optional<csv_row_end> row_end() const;

    // Records of this format have to agree with the beginning of their file.
    bool wants_start() const noexcept { return csv_ && dialect_.header; }
    // start: the first bytes of a file that is not empty; is_all: all of them. False: what there is does not count, the next record is
    // the first. Throws sdk::failure where it does not agree.
    bool follow(std::string_view start, bool is_all);

    // What an operator should hear, each once: texts since the last call.
    std::vector<std::string> take_warnings();

private:
    std::string path_;
    csv_dialect dialect_;
    bool strict_;
    std::optional<envelope_writer> envelope_;
    std::optional<csv_writer> csv_;
    std::vector<std::string> warnings_;
};

}  // namespace mqb::file
