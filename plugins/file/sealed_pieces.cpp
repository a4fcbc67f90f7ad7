#include "sealed_pieces.hpp"

#include <algorithm>

#include <mqb/sdk/status.hpp>

#include "codec/broken.hpp"
#include "packing.hpp"

namespace mqb::file {
namespace {

constexpr std::size_t usual = 512 << 10;
constexpr std::size_t most_read = 1 << 20;

}  // namespace

bool sealed_pieces::read_on() {
    for (;;) {
        if (open_next()) return true;
        const std::span<char> room = block_.room();
        const std::size_t size = from_.read(room.first(std::min(room.size(), most_read)));
        block_.filled(size);
        if (size > 0) continue;
        if (!block_.unread().empty()) waited_at_ = position();
        return false;
    }
}

bool sealed_pieces::open_next() {
    const std::string_view there = block_.unread();
    if (position() == 0 && !looks_sealed(there.substr(0, longest_beginning)))
        throw sdk::bad_config("file source '", from_.path(), "' is not encrypted, but `encryption` is configured");
    if (there.size() < block_head_size) return false;
    const std::uint64_t size = block_size(there);
    if (size > longest_)
        refuse(sdk::join("claims to have ", size, " bytes, more than ", longest_,
                         ": the longest record, of an input `max_record_bytes`, and 64 MiB"));
    if (there.size() - block_head_size < size) return false;
    // What is unread stays in front of the new text.
    const std::string_view left = unread();
    if (left.empty()) {
        text_.clear(usual);
    } else if (begin_ > 0) {
        const std::string kept(left);
        text_.clear(usual);
        text_.append(kept);
    }
    begin_ = 0;
    try {
        char* const to = text_.room(size);
        text_.written(to + with_.open(there.substr(block_head_size, size), to));
    } catch (const codec::broken& why) { refuse(sdk::join("cannot be read: ", why.what())); }
    block_.drop(block_head_size + size);
    return true;
}

// A block that was not whole at first may have been cut by its writer and written anew: then the file is read once more.
void sealed_pieces::refuse(std::string_view why) {
    const std::string text = sdk::join("file source '", from_.path(), "': the encrypted block at byte ", position(), ' ', why);
    if (waited_at_ != position()) throw sdk::bad_config(text);
    block_.clear();
    from_.give_up();
    throw sdk::disconnected(text, "; it is read again from its beginning");
}

std::string sealed_pieces::why_cut() const {
    if (block_.unread().empty()) return {};
    return sdk::join("inside the encrypted block that begins at byte ", position());
}

}  // namespace mqb::file
