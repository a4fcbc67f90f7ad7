// Csv row end: finds where a row ends without converting it, and goes on where it stopped when more bytes have come. What a row
// that is cut by the end of a block costs is thus its size, however small the pieces in which it arrives.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace mqb::file {

class csv_row_end {
public:
    // separators: any of these ends a field.
    csv_row_end(std::string_view separators, std::optional<char> quote, char delimiter) noexcept
        : separators_(separators), quote_(quote), delimiter_(delimiter) {}

    // Where the delimiter of the row is that begins at the start of `row`; nothing while it is not there. `row` is what was
    // given before and something behind it.
    std::optional<std::size_t> find(std::string_view row) noexcept;

    // How many of the bytes given have been looked at; the next ones may be given without them.
    std::size_t searched() const noexcept { return searched_; }
    void forget_searched() noexcept { searched_ = 0; }

    // The bytes so far end inside quotes.
    bool inside_quotes() const noexcept { return where_ == place::quoted; }

private:
    enum class place { field_start, plain, quoted, after_quote };

    std::string_view separators_;
    std::optional<char> quote_;
    char delimiter_;
    place where_ = place::field_start;
    std::size_t searched_ = 0;
};

}  // namespace mqb::file
