// dlq_selection: the letters that a command line names, and the store that they are in.
#pragma once

#include "core/result.hpp"
#include "host/commands/dlq.hpp"
#include "host/logs/scrubber.hpp"
#include "host/state/letter_archive.hpp"
#include "host/state/letter_json.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mqb::host {

// A moment: so long ago ("90s", "15m", "2h", "7d"), or a date with or without a time (RFC 3339; UTC unless it says otherwise).
[[nodiscard]] std::optional<std::uint64_t> read_moment(std::string_view text, std::uint64_t now_ns);
[[nodiscard]] core::result<state::letter_filter> read_selection(const letter_selection& which, std::uint64_t now_ns);
// No archive: nothing was ever stored in this state directory.
[[nodiscard]] core::result<std::optional<state::letter_archive>> open_archive(const dlq_place& place);
inline constexpr std::uint32_t letters_of_a_page = 1000;
// Gives every letter that the filter names to `take(page)`, page by page; the number of letters.
template <class Take>
core::result<std::uint64_t> each_page(state::letter_archive& in, const state::letter_filter& filter, Take take) {
    std::uint64_t count = 0;
    std::int64_t after = 0;
    while (filter.limit == 0 || count < filter.limit) {
        const std::uint64_t left = filter.limit == 0 ? letters_of_a_page : filter.limit - count;
        const auto page = in.list(filter, after, static_cast<std::uint32_t>(std::min<std::uint64_t>(letters_of_a_page, left)));
        if (!page) return page.error();
        if (page->empty()) break;
        take(*page);
        count += page->size();
        after = page->back().id;
    }
    return count;
}

[[nodiscard]] state::text_filter cleaner(const dlq_place& place);
[[nodiscard]] std::uint64_t wall_ns();

}  // namespace mqb::host
