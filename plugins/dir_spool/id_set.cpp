#include "id_set.hpp"

#include <algorithm>
#include <cstring>

namespace mqb::dir_spool {
namespace {

constexpr std::size_t fewest_places = 1024;

}  // namespace

id_set::mark id_set::mark_of(const sdk::message_id& id) noexcept {
    mark of;
    std::memcpy(&of.high, id.data(), 8);
    std::memcpy(&of.low, id.data() + 8, 8);
    if (of == mark{}) of.low = 1;
    return of;
}

std::size_t id_set::place_of(const mark& of) const noexcept {
    std::size_t at = (of.high ^ of.low * 0x9e3779b97f4a7c15U) & (marks_.size() - 1);
    while (marks_[at] != mark{} && marks_[at] != of) at = (at + 1) & (marks_.size() - 1);
    return at;
}

bool id_set::contains(const sdk::message_id& id) const noexcept { return !marks_.empty() && marks_[place_of(mark_of(id))] != mark{}; }

void id_set::insert(const sdk::message_id& id) {
    if (4 * (count_ + 1) > 3 * marks_.size()) move_to(std::max(fewest_places, 2 * marks_.size()), false);
    const mark of = mark_of(id);
    mark& at = marks_[place_of(of)];
    if (at == mark{}) ++count_;
    at = of;
    is_found_[static_cast<std::size_t>(&at - marks_.data())] = true;
}

void id_set::begin_look() { is_found_.assign(marks_.size(), false); }

bool id_set::find(const sdk::message_id& id) {
    if (!contains(id)) return false;
    is_found_[place_of(mark_of(id))] = true;
    return true;
}

void id_set::end_look() {
    const auto found = static_cast<std::size_t>(std::ranges::count(is_found_, true));
    if (count_ <= 2 * found + fewest_places) return;
    std::size_t places = fewest_places;
    while (3 * places < 4 * (found + 1)) places *= 2;
    move_to(places, true);
}

void id_set::move_to(std::size_t places, bool found_only) {
    std::vector<mark> before(places);
    before.swap(marks_);
    std::vector<bool> was_found(places);
    was_found.swap(is_found_);
    count_ = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] == mark{} || (found_only && !was_found[i])) continue;
        const std::size_t at = place_of(before[i]);
        marks_[at] = before[i];
        is_found_[at] = was_found[i];
        ++count_;
    }
}

}  // namespace mqb::dir_spool
