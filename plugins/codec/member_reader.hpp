// Member reader: the texts of members that stand one behind the other, as one text. Zeros between and behind them are padding; what
// else stands behind the last one is garbage, which is passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "codec/decompressor.hpp"

namespace mqb::codec {

// One thread at a time.
class member_reader {
public:
    explicit member_reader(compression kind) : kind_(kind), decompressor_(make_decompressor(kind)) {}

    struct progress {
        std::size_t taken = 0;  // of the input
        std::size_t given = 0;  // into the output
    };
    // Goes on as far as input and room allow; when it neither takes nor gives, it needs more input than this. Throws broken,
    // after it has given what is in front of the damage.
    progress read(std::string_view from, std::span<char> to);

    // The input may end here, if all of it was taken.
    bool is_between_members() const noexcept { return where_ != place::inside; }
    bool has_garbage() const noexcept { return where_ == place::garbage; }
    // So much of the input is whole members and padding.
    std::uint64_t whole() const noexcept { return where_ == place::inside || where_ == place::garbage ? begin_ : taken_; }
    // Where in the input the last member, or the garbage, begins.
    std::uint64_t begin() const noexcept { return begin_; }
    compression kind() const noexcept { return kind_; }

private:
    enum class place { start, inside, behind, garbage };
    // False: more bytes are needed to tell what comes.
    bool begins(std::string_view from);

    compression kind_;
    std::unique_ptr<decompressor> decompressor_;
    place where_ = place::start;
    std::uint64_t taken_ = 0, begin_ = 0;
    std::string problem_;  // to be told when what is in front of it has been given
};

}  // namespace mqb::codec
