#include "name_set.hpp"

#include <cstring>

#include <mqb/sdk/message_id.hpp>

namespace mqb::dir_spool {

// FNV-1a of 128 bits; a name that is a number by itself has an extension here, so it is folded like any other.
name_set::mark name_set::mark_of(std::string_view name) noexcept {
    const sdk::message_id id = sdk::id_from_text(name);
    mark of;
    std::memcpy(&of.high, id.data(), 8);
    std::memcpy(&of.low, id.data() + 8, 8);
    if (of == mark{}) of.low = 1;
    return of;
}

std::size_t name_set::place_of(const mark& of) const noexcept {
    std::size_t at = (of.high ^ of.low * 0x9e3779b97f4a7c15U) & (marks_.size() - 1);
    while (marks_[at] != mark{} && marks_[at] != of) at = (at + 1) & (marks_.size() - 1);
    return at;
}

bool name_set::contains(std::string_view name) const noexcept { return !marks_.empty() && marks_[place_of(mark_of(name))] != mark{}; }

void name_set::insert(std::string_view name) {
    if (4 * (count_ + 1) > 3 * marks_.size()) {
        std::vector<mark> before(marks_.empty() ? 1024 : 2 * marks_.size());
        before.swap(marks_);
        for (const mark& one : before)
            if (one != mark{}) marks_[place_of(one)] = one;
    }
    const mark of = mark_of(name);
    mark& at = marks_[place_of(of)];
    if (at == mark{}) ++count_;
    at = of;
}

}  // namespace mqb::dir_spool
