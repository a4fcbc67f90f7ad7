#include "host/config/near_match.hpp"

#include <algorithm>
#include <vector>

namespace mqb::config {

namespace {

char folded(char c) noexcept {
    if (c == '-') return '_';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Insertions, deletions, changes and swaps of neighbours that make b of a.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool is_same = folded(a[i - 1]) == folded(b[j - 1]);
            next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (is_same ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) next[j] = std::min(next[j], before[j - 2] + 1);
        }
        std::swap(before, row);
        std::swap(row, next);
    }
    return row[b.size()];
}

constexpr std::size_t most_compared = 2'000;

}  // namespace

std::string near_match(std::string_view word, std::span<const std::string> known) {
    constexpr std::size_t longest = 64;  // no key is longer, and the distance takes the product of both lengths
    std::string best;
    if (word.size() > longest) return best;
    std::size_t nearest = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& name : known) {
        if (name.size() > longest || name == word) continue;
        const std::size_t far = distance(word, name);
        if (far < nearest && far < word.size()) {
            nearest = far;
            best = name;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    if (known.size() > most_compared) return {};  // each mistake would be compared with each name
    const std::string near = near_match(word, known);
    return near.empty() ? near : " (did you mean \"" + near + "\"?)";
}

}  // namespace mqb::config
