// Sealed pieces: the texts of a file's sealed blocks, each opened when all of it is there.
#pragma once

#include <cstdint>

#include "byte_pieces.hpp"
#include "codec/opener.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

class sealed_pieces final : public byte_pieces {
public:
    // A block may have `longest` bytes; one that claims more is refused before memory is taken for it.
    sealed_pieces(input_file& from, codec::opener& with, std::uint64_t longest) : from_(from), with_(with), longest_(longest) {}

    std::string_view unread() const noexcept override { return text_.from(begin_); }
    void drop(std::size_t size) noexcept override { begin_ += size; }
    bool read_on() override;
    std::string why_cut() const override;

private:
    std::uint64_t position() const noexcept { return from_.position() - block_.unread().size(); }
    // False: the next block is not whole.
    bool open_next();
    [[noreturn]] void refuse(std::string_view why);

    input_file& from_;
    codec::opener& with_;
    std::uint64_t longest_;
    block block_;
    text_buffer text_;
    std::size_t begin_ = 0;                 // of what is unread in text_
    std::uint64_t waited_at_ = UINT64_MAX;  // the block there was not whole when it was looked at first
};

}  // namespace mqb::file
