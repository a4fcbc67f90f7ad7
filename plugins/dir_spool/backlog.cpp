#include "backlog.hpp"

#include <algorithm>

namespace mqb::dir_spool {

void backlog::refill(std::vector<std::string> listed) {
    waiting_.assign(std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end()));
}

const std::string* backlog::next(clock::time_point now) {
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
        const std::string payload = std::move(delayed_.extract(delayed_.begin()).mapped());
        put_in_place(payload);
    }
    return waiting_.empty() ? nullptr : &waiting_.front();
}

std::optional<backlog::clock::time_point> backlog::next_due() const {
    return delayed_.empty() ? std::nullopt : std::optional(delayed_.begin()->first);
}

std::uint32_t backlog::give() {
    std::string payload = std::move(waiting_.front());
    waiting_.pop_front();
    std::uint32_t times = 1;
    if (const auto before = again_.find(payload); before != again_.end()) {
        times += before->second;
        again_.erase(before);
    }
    if (remembers_) given_.insert(payload);
    out_.emplace(std::move(payload), times);
    return times;
}

void backlog::returned(const std::string& payload, std::optional<clock::time_point> due) {
    if (!out_.contains(payload)) return;
    if (due)
        delayed_.emplace(*due, payload);
    else
        put_in_place(payload);
}

void backlog::put_in_place(std::string payload) {
    if (const auto found = out_.find(payload); found != out_.end()) {
        again_[payload] = found->second;
        out_.erase(found);
    }
    waiting_.insert(std::ranges::lower_bound(waiting_, payload), std::move(payload));
}

}  // namespace mqb::dir_spool
