// Naming: the names of chunks.
//
//   pattern := "{seq}" rest | "{seq:0" N "}" rest | "{seq:0" N "d}" rest      rest := (text | "{timestamp}" | "{message_id}" | seq)*
//
// What follows the first sequence does not begin with a digit. With shards the first digits of a name are directories:
// depth 2, width 3 makes 000/000/001 of 000000001.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::dir_spool {

struct shards {
    std::uint32_t depth = 0, width = 3;
    std::size_t digits() const noexcept { return std::size_t{depth} * width; }
    bool are_named(std::string_view directory) const noexcept;
};

class naming {
public:
    // Throws sdk::bad_config.
    naming(std::string_view pattern, shards of);

    // The path of a chunk within the spool, without an extension.
    std::string path_of(std::uint64_t sequence, std::uint64_t milliseconds, const std::uint8_t* id) const;
    // Whether a name, without directories put together with theirs, is one that this pattern makes.
    bool makes(std::string_view name) const noexcept;
    // Bytes of the longest name in one directory.
    std::size_t longest() const noexcept;
    // Beyond it names have more digits, and their order is no longer that of the sequence.
    std::uint64_t last_in_order() const noexcept;

private:
    enum class part_kind { text, sequence, timestamp, message_id };
    struct part {
        part_kind kind = part_kind::text;
        std::string text;
        std::uint32_t digits = 0;  // of a sequence: at least so many
    };
    static part read_placeholder(std::string_view inside);
    void check_start() const;

    std::vector<part> parts_;
    shards shards_;
};

// The number that a name begins with, its directories' digits included. None: it begins with no digit, or the number has more than
// 64 bits.
std::optional<std::uint64_t> sequence_of(std::string_view name) noexcept;

}  // namespace mqb::dir_spool
