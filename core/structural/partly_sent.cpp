#include "core/structural/partly_sent.hpp"

#include "core/message_ids.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace mqb::core {

namespace {

// What it keeps alive.
std::size_t bytes_of(const taken_by& what) noexcept {
    if (!what.response) return 0;
    const message& m = what.response->what.get();
    std::size_t out = sizeof(branch_response);
    for (const buffer* b : {&m.payload, &m.metadata}) out += b->owner ? std::max<std::size_t>(b->owner->total_size, b->size) : b->size;
    return out;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t h = (a ^ b) * 0xFF51AFD7ED558CCDu;
    return h ^ (h >> 32);
}

}  // namespace

partly_sent::key partly_sent::key_of(const message& m) noexcept {
    std::uint64_t content = mixed(m.lane, m.payload.is_null() ? UINT64_MAX : m.payload.size);
    if (m.payload.size != 0) content = mixed(content, std::hash<std::string_view>{}(m.payload.text()));
    return {m.id, content};
}

void partly_sent::put(const message& m, taken_by what) {
    if (!has_id(m)) return;
    const std::size_t bytes = bytes_of(what);
    if (bytes != 0 && bytes > most_response_bytes - response_bytes_) {
        what.branches &= ~(std::uint64_t{1} << what.response->number);
        what.response.reset();
        if (what.branches == 0) return;
    } else {
        response_bytes_ += bytes;
    }
    age();
    if (is_empty()) began_ = clock_->now_steady();
    young_.emplace(key_of(m), std::move(what));
}

taken_by partly_sent::take(const message& m) {
    taken_by out;
    if (!has_id(m)) return out;
    age();
    const key k = key_of(m);
    if (!take_from(young_, k, out)) (void)take_from(old_, k, out);
    return out;
}

bool partly_sent::take_from(generation& from, const key& k, taken_by& into) {
    if (from.empty()) return false;
    const auto found = from.find(k);
    if (found == from.end()) return false;
    response_bytes_ -= bytes_of(found->second);
    into = std::move(found->second);
    from.erase(found);
    return true;
}

void partly_sent::age() {
    const std::uint64_t now = clock_->now_steady();
    const bool is_late = !is_empty() && now - began_ >= kept_ns;
    if (!is_late && young_.size() < most_) return;
    forget(old_);
    if (is_late && now - began_ >= 2 * kept_ns) forget(young_);
    std::swap(young_, old_);
    began_ = now;
}

void partly_sent::forget(generation& all) {
    for (const auto& [k, what] : all) response_bytes_ -= bytes_of(what);
    all.clear();
}

}  // namespace mqb::core
