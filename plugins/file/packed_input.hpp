// Packed input: the text of a file that is compressed, sealed, or both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "byte_pieces.hpp"
#include "codec/member_reader.hpp"
#include "codec/opener.hpp"
#include "config.hpp"

namespace mqb::file {

// Reads `from` from its first byte; begin() when that is another file. Every failure is thrown as sdk::failure with path and reason.
// One thread at a time.
class packed_input {
public:
    // Of a configuration that was checked and whose file is packed.
    // longest_record: a sealed block that is much larger than that is refused before memory is taken for it.
    packed_input(input_file& from, const config& chosen, std::uint64_t longest_record);

    void begin();
    // More of the text; 0: nothing now.
    std::size_t read(std::span<char> to);
    // How much of the text was read.
    std::uint64_t position() const noexcept { return position_; }
    // Nothing will follow: throws where a member or block is cut.
    void end() const;
    // What an operator should hear, once; empty: nothing new.
    std::string take_warning() { return std::exchange(warning_, {}); }

private:
    std::size_t unpack(std::span<char> to);
    [[noreturn]] void refuse(std::string_view why) const;

    input_file& from_;
    codec::compression compression_;
    std::uint64_t longest_block_;
    std::optional<codec::opener> opener_;
    std::unique_ptr<byte_pieces> pieces_;
    std::optional<codec::member_reader> members_;
    std::uint64_t position_ = 0;
    bool told_garbage_ = false;
    bool passed_garbage_ = false;  // all of it that was there
    std::string warning_;
};

}  // namespace mqb::file
