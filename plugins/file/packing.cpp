#include "packing.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <unistd.h>

#include <mqb/sdk/text.hpp>

#include "codec/broken.hpp"
#include "codec/envelope.hpp"
#include "codec/member_reader.hpp"

namespace mqb::file {
namespace {

constexpr std::uint64_t unknown = UINT64_MAX;

// False: not all of it can be read.
bool read_at(int descriptor, std::uint64_t at, std::span<char> to) {
    return ::pread(descriptor, to.data(), to.size(), static_cast<off_t>(at)) == static_cast<ssize_t>(to.size());
}

std::uint64_t end_of_blocks(int descriptor, std::uint64_t from, std::uint64_t size) {
    std::array<char, longest_beginning> bytes{};
    while (size - from >= bytes.size()) {
        if (!read_at(descriptor, from, bytes)) return unknown;
        const std::string_view head(bytes.data(), bytes.size());
        if (!looks_sealed(head) || block_size(head) > size - from - block_head_size) break;
        from += block_head_size + block_size(head);
    }
    return from;
}

std::uint64_t end_of_members(int descriptor, std::uint64_t from, std::uint64_t size, codec::compression kind) {
    codec::member_reader members(kind);
    std::vector<char> piece(256 << 10), text(256 << 10);
    std::string_view unread;
    std::uint64_t at = from;  // of what is unread
    try {
        while (at < size) {
            const auto made = members.read(unread, text);
            at += made.taken;
            unread.remove_prefix(made.taken);
            if (made.taken > 0 || made.given > 0) continue;
            const std::size_t more = std::min<std::uint64_t>(size - at, piece.size());
            if (more == unread.size()) break;
            if (!read_at(descriptor, at, {piece.data(), more})) return unknown;
            unread = {piece.data(), more};
        }
    } catch (const codec::broken&) {}
    return from + members.whole();
}

}  // namespace

std::uint64_t block_size(std::string_view head) noexcept {
    std::uint64_t size = 0;
    for (const char byte : head.substr(0, block_head_size)) size = size << 8 | static_cast<unsigned char>(byte);
    return size;
}

bool looks_sealed(std::string_view beginning) noexcept {
    const std::string_view zeros = beginning.substr(0, 4);  // no batch has 4 GiB
    if (zeros.find_first_not_of('\0') != std::string_view::npos) return false;
    if (beginning.size() < block_head_size) return true;
    return codec::looks_sealed(beginning.substr(block_head_size), block_size(beginning));
}

std::string why_not_appended(packing how, std::string_view beginning) {
    if (beginning.empty()) return {};
    const bool is_sealed = beginning.size() >= longest_beginning && looks_sealed(beginning);
    const codec::compression found = is_sealed ? codec::compression::none : codec::compression_of_bytes(beginning);
    const std::string_view name = codec::name_of(found);
    if (how.sealed) return is_sealed ? "" : "is not encrypted, so that nothing encrypted can be appended to it";
    if (is_sealed) return "looks encrypted but no `encryption` is configured";
    if (how.compression == found) return {};
    if (how.is_plain()) return sdk::join("begins with a ", name, " magic header; with `compression: ", name, "` it can be appended to");
    const std::string_view wanted = codec::name_of(how.compression);
    if (found != codec::compression::none) return sdk::join("begins with a ", name, " magic header, and not with one of ", wanted);
    return codec::may_begin(how.compression, beginning)
               ? ""
               : sdk::join("does not begin with a ", wanted, " magic header, so that nothing can be appended to it");
}

std::uint64_t end_of_batches(int descriptor, std::uint64_t from, std::uint64_t size, packing how) {
    return how.sealed ? end_of_blocks(descriptor, from, size) : end_of_members(descriptor, from, size, how.compression);
}

}  // namespace mqb::file
