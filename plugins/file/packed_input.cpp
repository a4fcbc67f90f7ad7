#include "packed_input.hpp"

#include <algorithm>
#include <cstring>

#include "codec/broken.hpp"
#include "packing.hpp"
#include "sealed_pieces.hpp"

namespace mqb::file {
namespace {

// A batch of records may be so much larger than the longest record, sealed.
constexpr std::uint64_t block_reserve = 64 << 20;

}  // namespace

packed_input::packed_input(input_file& from, const config& chosen, std::uint64_t longest_record)
    : from_(from), compression_(chosen.packed().compression),
      longest_block_(std::min(longest_record, UINT64_MAX - block_reserve) + block_reserve) {
    if (chosen.encryption) opener_.emplace(chosen.encryption->opener());
    begin();
}

void packed_input::begin() {
    if (opener_)
        pieces_ = std::make_unique<sealed_pieces>(from_, *opener_, longest_block_);
    else
        pieces_ = std::make_unique<file_pieces>(from_);
    if (compression_ != codec::compression::none) members_.emplace(compression_);
    position_ = 0;
    told_garbage_ = passed_garbage_ = false;
    warning_.clear();
}

std::size_t packed_input::read(std::span<char> to) {
    for (;;) {
        const std::size_t given = unpack(to);
        position_ += given;
        if (given > 0) return given;
        if (!pieces_->read_on()) {
            passed_garbage_ = members_ && members_->has_garbage();
            if (members_ && !opener_ && !members_->is_between_members()) pieces_->wait_inside(members_->begin());
            return 0;
        }
        if (passed_garbage_) refuse("was appended to behind bytes that belong to no member, so that what follows cannot be read");
    }
}

std::size_t packed_input::unpack(std::span<char> to) {
    const std::string_view there = pieces_->unread();
    if (!members_) {
        const std::size_t size = std::min(to.size(), there.size());
        if (size > 0) std::memcpy(to.data(), there.data(), size);
        pieces_->drop(size);
        return size;
    }
    codec::member_reader::progress made;
    try {
        made = members_->read(there, to);
    } catch (const codec::broken& why) {
        if (members_->is_between_members()) {
            const bool is_sealed = !opener_ && looks_sealed(there.substr(0, longest_beginning));
            refuse(sdk::join(why.what(), is_sealed ? "; it looks encrypted, and no `encryption` is configured" : ""));
        }
        throw sdk::bad_config("file source '", from_.path(), "': the ", codec::name_of(compression_), " member at byte ", members_->begin(),
                              opener_ ? " of the opened blocks" : "", " is damaged: ", why.what());
    }
    pieces_->drop(made.taken);
    if (members_->has_garbage() && !std::exchange(told_garbage_, true))
        warning_ = sdk::join("bytes behind the last ", codec::name_of(compression_), " member, from byte ", members_->begin(),
                             " on, belong to no member; they are passed over");
    return made.given;
}

void packed_input::end() const {
    std::string where = pieces_->why_cut();
    if (where.empty() && members_ && (!members_->is_between_members() || !pieces_->unread().empty()))
        where = sdk::join("inside the ", codec::name_of(compression_), " member that begins at byte ", members_->whole(),
                          opener_ ? " of the opened blocks" : "");
    if (!where.empty()) refuse(sdk::join("ends ", where, "; the file looks truncated"));
}

void packed_input::refuse(std::string_view why) const { throw sdk::bad_config("file source '", from_.path(), "' ", why); }

}  // namespace mqb::file
