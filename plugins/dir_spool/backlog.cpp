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

std::uint32_t backlog::give(const sdk::message_id& chunk) {
    giving now{chunk, 1};
    if (const auto before = again_.find(waiting_.front()); before != again_.end() && before->second.chunk == chunk)
        now.times += before->second.times;
    if (remembers_) {
        given_.insert(chunk);
        if (waiting_.front() > last_given_) last_given_ = waiting_.front();
    }
    out_.emplace(waiting_.front(), now);
    skip();
    return now.times;
}

void backlog::skip() {
    again_.erase(waiting_.front());
    waiting_.pop_front();
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
