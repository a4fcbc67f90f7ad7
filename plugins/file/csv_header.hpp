// Csv header: the columns of a file, ready to be written as the keys of a JSON object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chunk16.hpp"
#include "csv_dialect.hpp"

namespace mqb::file {

// The fields of one whole row, without its line end. `dialect` has a separator.
std::vector<std::string> csv_fields(std::string_view row, const csv_dialect& dialect);

// Gives every name that was there before a suffix, `_2`, `_3` …, that no other column has. True when there was one.
bool make_unique(std::vector<std::string>& names);

// The pieces of JSON text between the values: `{"a":"` before the first, `","b":"` before the others, `"}` after the last; without a
// quote at the side of a value that is no text.
class csv_keys {
public:
    explicit csv_keys(const csv_dialect& dialect);

    std::size_t count() const noexcept { return pieces_.size(); }
    // Of all that is written beside what the cells of a row hold.
    std::size_t total_size() const noexcept { return total_; }
    csv_type type(std::size_t column) const noexcept { return pieces_[column].type; }

    // Writes the piece before value `column` and up to chunk_padding bytes of anything; returns where the value goes.
    char* put(char* to, std::size_t column) const noexcept {
        const piece& p = pieces_[column];
        const char* from = text_.data() + p.offset;
        if (p.size <= 32) {
            chunk16::load(from).store(to);
            chunk16::load(from + 16).store(to + 16);
        } else {
            std::memcpy(to, from, p.size);
        }
        return to + p.size;
    }
    // What is behind the last value, and a byte of anything.
    char* finish(char* to) const noexcept {
        std::memcpy(to, end_.data(), 2);
        return to + end_.size();
    }

private:
    struct piece {
        std::size_t offset, size;
        csv_type type;
    };
    std::vector<piece> pieces_;
    std::string text_;  // the pieces, each with chunk_padding behind it
    std::size_t total_ = 0;
    std::string_view end_ = "\"}";
};

}  // namespace mqb::file
