#include "file_start.hpp"

#include <algorithm>
#include <array>

#include "packing.hpp"

namespace mqb::file {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view utf8_mark = "\xef\xbb\xbf"sv;
struct magic {
    std::string_view bytes, name;
};
constexpr std::array compressed{magic{"\x1f\x8b"sv, "gzip"}, magic{"\x28\xb5\x2f\xfd"sv, "zstd"}, magic{"\x04\x22\x4d\x18"sv, "lz4"}};
constexpr std::array utf16{magic{"\xff\xfe"sv, "UTF-16LE"}, magic{"\xfe\xff"sv, "UTF-16BE"}};

// As much of `text` as is there agrees with the beginning of `bytes`.
bool may_begin(std::string_view text, std::string_view bytes) { return bytes.starts_with(text.substr(0, bytes.size())); }

}  // namespace

file_start look_at_start(std::string_view bytes, bool at_end, record_format format) {
    const bool is_sealed = looks_sealed(bytes);
    if (is_sealed && bytes.size() < longest_beginning && !at_end) return {};
    if (bytes.size() < 4 && !at_end) {
        const auto undecided = [bytes](const magic& m) { return may_begin(bytes, m.bytes); };
        if (bytes.empty() || may_begin(bytes, utf8_mark) || std::ranges::any_of(compressed, undecided) ||
            std::ranges::any_of(utf16, undecided))
            return {};
    }
    for (const magic& m : compressed)
        if (bytes.starts_with(m.bytes))
            return {true, 0,
                    "begins with a " + std::string(m.name) +
                        " magic header but no `compression` is configured; `compression: " + std::string(m.name) + "` reads it"};
    if (is_sealed && bytes.size() >= longest_beginning) return {true, 0, "looks encrypted but no `encryption` is configured"};
    // Raw records may be of any encoding.
    for (const magic& m : utf16)
        if (bytes.starts_with(m.bytes) && format != record_format::raw)
            return {true, 0,
                    "is " + std::string(m.name) + " by its byte order mark; only UTF-8 is read as `" +
                        (format == record_format::csv ? "csv" : "normal, json or text") + "`"};
    return {true, bytes.starts_with(utf8_mark) ? utf8_mark.size() : 0, {}};
}

}  // namespace mqb::file
