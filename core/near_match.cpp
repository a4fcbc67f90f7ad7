#include "core/near_match.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mqb::core {

namespace {

// How many letters to add, drop, replace or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::vector<std::string> nearest_of(std::string_view name, std::vector<std::string> known) {
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    std::vector<std::pair<std::size_t, std::string>> near;
    for (std::string& k : known) {
        const std::size_t d = distance(name, k);
        const std::size_t longest = std::max(k.size(), name.size());
        if (d <= std::max<std::size_t>(1, longest / 3) && d < longest) near.emplace_back(d, std::move(k));
    }
    std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < near.size() && i < 3; ++i) out.push_back(std::move(near[i].second));
    return out;
}

}  // namespace mqb::core
