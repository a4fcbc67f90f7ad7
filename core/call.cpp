#include "core/call.hpp"

#include <algorithm>

namespace mqb::core {

namespace {
constexpr std::size_t longest_text = 4096;  // the ABI cuts there
}

void explanations::set(std::uint32_t index, std::string_view text) {
    text = text.substr(0, longest_text);
    auto at = std::ranges::find(texts_, index, &one::index);
    if (at != texts_.end())
        at->text = text;
    else
        texts_.push_back({index, std::string{text}});
}

std::string_view explanations::of(std::uint32_t index) const noexcept {
    auto at = std::ranges::find(texts_, index, &one::index);
    return at == texts_.end() ? std::string_view{} : std::string_view{at->text};
}

std::string_view explanations::best(std::uint32_t index) const noexcept {
    auto text = of(index);
    return text.empty() ? of(whole_call) : text;
}

}  // namespace mqb::core
