#include "core/middlewares/message_stage.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

void staged_messages::apply(message_stage& stage, std::string_view name, const message_list& all) {
    clear();
    for (std::uint32_t i = 0; i < all.count; ++i) {
        message m = all.copy(i);
        std::string why;
        const staged what = stage.apply(m, blocks_, why);
        const bool stays = what == staged::passes || what == staged::changed;
        if (stays && !why.empty() && warning_.empty()) warning_ = std::string{name} + ": " + why;
        if (what != staged::passes && is_untouched()) copy_first(all, i);
        if (!stays) {
            if (removed_.empty())
                for (std::uint32_t k = 0; k < i; ++k) index_.push_back(k);
            if (!why.empty()) why.insert(0, std::string{name} + ": ");
            removed_.push_back({i, what, std::move(why)});
        } else if (!is_untouched() || what == staged::changed) {
            part_.push_back(m);
            if (!removed_.empty()) index_.push_back(i);
        }
    }
    onward_ = is_untouched() ? all : message_list{std::span<const message>{part_}};
}

void staged_messages::copy_first(const message_list& all, std::uint32_t count) {
    part_.reserve(all.count);
    for (std::uint32_t k = 0; k < count; ++k) part_.push_back(all.copy(k));
}

const staged_messages::removed_message* staged_messages::first_discarded() const noexcept {
    const auto at = std::ranges::find(removed_, staged::discarded, &removed_message::what);
    return at == removed_.end() ? nullptr : &*at;
}

void staged_messages::clear() noexcept {
    onward_ = {};
    part_.clear();
    index_.clear();
    removed_.clear();
    warning_.clear();
    blocks_.clear();
}

}  // namespace mqb::core
