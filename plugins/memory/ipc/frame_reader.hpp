// frame_reader: the body of a frame as a parcel of messages that are parts of it.
#pragma once

#include "../channel/parcel.hpp"
#include "block.hpp"

#include <mqb/sdk/metadata_writer.hpp>

#include <string>
#include <vector>

namespace mqb::memory {

// Threads: one at a time. Keeps its memory for the next frame.
class frame_reader {
public:
    // The messages of a body which is in the block; null: there is none in it, or `error()` says what is wrong with it. Of a bad frame
    // nothing is given. Throws bad_alloc.
    parcel* read(block& in, const std::uint8_t* body, std::size_t size);
    const std::string& error() const noexcept { return error_; }  // of the last read
    // Metadata entries that no message can have (an empty key, one that is too long or not UTF-8) are left out: how many, so far.
    std::uint64_t left_out() const noexcept { return left_out_; }

private:
    bool read_message(class pack_reader& from, mqb_message& to, std::uint64_t& payload_bytes);
    bool read_metadata(class pack_reader& from, mqb_message& to);
    bool fail(const char* what);
    void put_entry(std::string_view key, std::string_view value);

    std::string error_;
    std::vector<std::uint8_t> metadata_;  // of the frame's messages; their data are offsets until it is copied
    std::uint64_t left_out_ = 0;
    mqb_owner* owner_ = nullptr;
};

}  // namespace mqb::memory
