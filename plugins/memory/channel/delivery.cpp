#include "delivery.hpp"

namespace mqb::memory {

void delivery::add(const run& one) {
    runs_.push_back(one);
    count_ += one.count;
    tells_ = tells_ || one.of->told;
    if (one.count == one.of->count())
        payload_bytes_ += one.of->payload_bytes();
    else
        for (std::uint32_t i = 0; i < one.count; ++i) payload_bytes_ += one.of->message(one.from + i).payload.size;
}

void delivery::begin() {
    unsettled_ = count_;
    settled_.assign(count_, false);
    array_.clear();
    if (runs_.size() == 1) return;
    array_.reserve(std::size_t{count_} * element_size());
    for (const run& one : runs_) {
        const auto* from = static_cast<const std::uint8_t*>(one.of->element(one.from));
        array_.insert(array_.end(), from, from + std::size_t{one.count} * element_size());
    }
}

void delivery::end() noexcept {
    for (const run& one : runs_) one.of->release();
    clear();
}

void delivery::clear() noexcept {
    runs_.clear();
    count_ = unsettled_ = 0;
    payload_bytes_ = 0;
    tells_ = false;
    last_run_ = 0, last_first_ = 0;
}

mqb_list delivery::list() noexcept {
    void* first = runs_.size() == 1 ? runs_.front().of->element(runs_.front().from) : array_.data();
    return mqb_list_of(first, count_, element_size());
}

bool delivery::settle(std::uint32_t index) noexcept {
    if (index >= count_ || settled_[index]) return false;
    settled_[index] = true;
    --unsettled_;
    return true;
}

void delivery::settle_all() noexcept {
    settled_.assign(count_, true);
    unsettled_ = 0;
    if (!tells_) return;
    for (const run& one : runs_)
        if (one.of->told) one.of->told->all_acknowledged(one.of->told_index(one.from), one.count);
}

run delivery::run_of(std::uint32_t index) noexcept {
    if (index < last_first_) last_run_ = 0, last_first_ = 0;
    while (last_run_ < runs_.size() && index - last_first_ >= runs_[last_run_].count) last_first_ += runs_[last_run_++].count;
    if (last_run_ == runs_.size()) return {nullptr, 0, 0};
    return {runs_[last_run_].of, runs_[last_run_].from + (index - last_first_), 1};
}

std::vector<run> delivery::take_unsettled() {
    std::vector<run> taken;
    std::uint32_t index = 0;
    for (const run& one : runs_) {
        for (std::uint32_t i = 0; i < one.count; ++i, ++index) {
            if (settled_[index]) continue;
            ++one.of->message(one.from + i).delivery_count;  // the batch is being freed: nobody reads it now
            const bool goes_on = !taken.empty() && taken.back().of == one.of && taken.back().from + taken.back().count == one.from + i;
            if (goes_on) {
                ++taken.back().count;
            } else {
                one.of->retain();
                taken.push_back({one.of, one.from + i, 1});
            }
        }
    }
    unsettled_ = 0;
    return taken;
}

}  // namespace mqb::memory
