#include "host/config/near_match.hpp"

#include "core/near_match.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mqb::config {

namespace {

// What people do not tell apart is one letter.
std::string folded(std::string_view text) {
    std::string out{text};
    for (char& c : out) c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

constexpr std::size_t most_compared = 2'000;

}  // namespace

std::string near_match(std::string_view word, std::span<const std::string> known) {
    constexpr std::size_t longest = 64;  // no key is longer, and the distance takes the product of both lengths
    if (word.size() > longest) return {};
    std::vector<std::string> all;
    const auto is_compared = [&](const std::string& name) { return name.size() <= longest && name != word; };
    for (const std::string& name : known)
        if (is_compared(name)) all.push_back(folded(name));
    const std::vector<std::string> near = core::nearest_of(folded(word), std::move(all));
    if (near.empty()) return {};
    return *std::ranges::find_if(known, [&](const std::string& name) { return is_compared(name) && folded(name) == near.front(); });
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    if (known.size() > most_compared) return {};  // each mistake would be compared with each name
    const std::string near = near_match(word, known);
    return near.empty() ? near : " (did you mean \"" + near + "\"?)";
}

}  // namespace mqb::config
