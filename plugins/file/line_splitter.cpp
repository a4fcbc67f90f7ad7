#include "line_splitter.hpp"

#include <cstring>
#include <utility>

namespace mqb::file {

// A CR before an LF is part of the line's end, not of the record; a record of nothing but that CR is empty in any case.
std::size_t line_splitter::without_return(std::string_view record) const noexcept {
    const bool returned = delimiter_ == '\n' && record.ends_with('\r');
    return returned && (!keep_return_ || record.size() == 1) ? record.size() - 1 : record.size();
}

look line_splitter::next(std::string_view unread, bool at_end) noexcept {
    std::size_t begin = 0;
    for (;;) {
        const std::size_t from = begin + std::exchange(searched_, 0);
        const void* hit = from < unread.size() ? std::memchr(unread.data() + from, delimiter_, unread.size() - from) : nullptr;
        const bool ended = hit != nullptr;
        const std::size_t end = ended ? static_cast<std::size_t>(static_cast<const char*>(hit) - unread.data()) : unread.size();
        const std::size_t whole = end - begin;
        if (!ended && !at_end) {
            if (skipped_ + whole > longest_) {
                const std::size_t earlier = std::exchange(skipped_, skipped_ + whole);
                return {found::too_much, begin, skipped_, unread.size(), earlier};
            }
            searched_ = whole;
            return {found::more, 0, 0, begin};
        }
        const std::size_t taken = ended ? end + 1 : end;
        if (skipped_ + whole > longest_) {
            const std::size_t earlier = std::exchange(skipped_, 0);
            return {found::too_long, begin, earlier + whole, taken, earlier};
        }
        const std::size_t size = without_return(unread.substr(begin, whole));
        if (size > 0) return {found::record, begin, size, taken};
        if (!ended) return {found::more, 0, 0, taken};
        begin = taken;
    }
}

}  // namespace mqb::file
