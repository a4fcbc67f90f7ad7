#include "file_name.hpp"

#include <algorithm>

namespace mqb::file {

file_name split(std::string_view name) noexcept {
    constexpr std::string_view packed[] = {".gz", ".lz4", ".zst", ".enc"};
    std::string_view stem = name;
    for (;;) {
        const std::size_t dot = stem.rfind('.');
        if (dot == stem.npos || dot == 0) break;  // a hidden file
        const std::string_view last = stem.substr(dot);
        stem.remove_suffix(last.size());
        if (std::ranges::find(packed, last) == std::ranges::end(packed)) break;
    }
    return {stem, name.substr(stem.size())};
}

}  // namespace mqb::file
