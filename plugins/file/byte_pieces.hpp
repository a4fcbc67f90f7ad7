// Byte pieces: what a file holds, as one text that comes in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "block.hpp"
#include "input_file.hpp"

namespace mqb::file {

// One thread at a time.
class byte_pieces {
public:
    virtual ~byte_pieces() = default;

    virtual std::string_view unread() const noexcept = 0;
    virtual void drop(std::size_t size) noexcept = 0;
    // More behind what is unread. False: nothing now. Throws sdk::failure.
    virtual bool read_on() = 0;
    // Why the file may not end here, in front of what is unread; empty: it may.
    virtual std::string why_cut() const { return {}; }
    // There is nothing more now, and a reader of these bytes stopped inside what began at byte `begin` of the file. Until more comes
    // the file may be cut there and written anew.
    virtual void wait_inside(std::uint64_t /*begin*/) {}
};

// The bytes of the file themselves.
class file_pieces final : public byte_pieces {
public:
    explicit file_pieces(input_file& from) : from_(from) {}

    std::string_view unread() const noexcept override { return block_.unread(); }
    void drop(std::size_t size) noexcept override { block_.drop(size); }
    bool read_on() override;
    void wait_inside(std::uint64_t begin) override;

private:
    // Of what stands in the file where it waits: of its first and last bytes, since a packed text that differs does so to its end.
    std::uint64_t sum() const;
    void add_to(std::uint64_t& sum, std::uint64_t begin, std::uint64_t end) const;

    input_file& from_;
    block block_;
    // While it waits: the bytes that a reader has begun with.
    std::uint64_t wait_begin_ = 0, wait_end_ = 0, wait_sum_ = 0;
};

}  // namespace mqb::file
