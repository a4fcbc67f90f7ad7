#include "csv_row_end.hpp"

#include <cstring>

namespace mqb::file {

std::optional<std::size_t> csv_row_end::find(std::string_view row) noexcept {
    while (searched_ < row.size()) {
        if (where_ == place::quoted) {
            const void* hit = std::memchr(row.data() + searched_, *quote_, row.size() - searched_);
            if (hit == nullptr) {
                searched_ = row.size();
                break;
            }
            searched_ = static_cast<std::size_t>(static_cast<const char*>(hit) - row.data()) + 1;
            where_ = place::after_quote;
            continue;
        }
        const char byte = row[searched_];
        if (byte == delimiter_) return searched_;
        if (byte == quote_ && where_ != place::plain) {
            where_ = place::quoted;  // opens the field, or is the second of a doubled quote
        } else if (separators_.find(byte) != std::string_view::npos) {
            where_ = place::field_start;
        } else {
            where_ = place::plain;
        }
        ++searched_;
    }
    return std::nullopt;
}

}  // namespace mqb::file
