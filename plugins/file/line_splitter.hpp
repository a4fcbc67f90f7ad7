// Line splitter: finds the next record in the bytes that have been read, each ended by one delimiter byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace mqb::file {

// What a look at the unread bytes gave.
enum class found {
    record,
    more,        // the record is not whole yet: read on, or at the end of the file there is none
    too_much,    // the same of a record that is longer than allowed already: what is taken of it is not shown again
    no_room,     // the record is whole, but its result does not fit into the output
    too_long,    // a record longer than allowed, whole now
    open_quote,  // the file ends inside a quoted field
    wrong_type,  // a cell is not what its column holds
};

// The record, which is whole, is none: it goes another way, and reading goes on behind it.
constexpr bool is_broken(found what) noexcept { return what == found::too_long || what == found::open_quote || what == found::wrong_type; }

// Offsets into the unread bytes. `taken` of them are dealt with and must be dropped before the next look, whatever was found;
// after `more` the same bytes, less those taken and with others behind them, are looked at again.
struct look {
    found what = found::more;
    std::size_t begin = 0;  // record: where it begins, behind the empty ones before it
    std::size_t size = 0;   // record: its size without the delimiter; else: of all of it that was seen
    std::size_t taken = 0;
    std::size_t earlier = 0;  // not a record: how many of these bytes were taken before, so that it began so far before `begin`
};

class line_splitter {
public:
    // keep_return: the CR of a CR LF belongs to the record.
    line_splitter(char delimiter, std::size_t longest, bool keep_return) noexcept
        : delimiter_(delimiter), longest_(longest), keep_return_(keep_return) {}

    // at_end: nothing will follow these bytes; the last record needs no delimiter.
    look next(std::string_view unread, bool at_end) noexcept;

private:
    std::size_t without_return(std::string_view record) const noexcept;

    char delimiter_;
    std::size_t longest_;
    bool keep_return_;
    std::size_t searched_ = 0;  // so many unread bytes hold no delimiter
    std::size_t skipped_ = 0;   // so many bytes of a record that is too long have been taken already
};

}  // namespace mqb::file
