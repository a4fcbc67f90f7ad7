// source_settling: how the fake source records settlements and gives lanes up, and the rules that it watches.
#include "tests/shapes/source.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace mqb::shapes {

using core::disposition;
using core::settle_result;
using core::settle_unit;
using core::status;

void source::check_settle(const core::settle_call& c) {
    journal& log = around_.log;
    auto at = batches_.find(c.batch);
    if (at == batches_.end()) return log.broken("a settle of an unknown batch");
    batch& b = *at->second;
    ++b.calls;
    log.expect(c.entries.count > 0 && c.entries.count == c.outcomes.count, "a settle with a wrong number of outcomes");
    bool only_more = true;
    std::map<std::uint64_t, std::size_t> position;  // by lane
    std::set<std::uint32_t> named;
    for (std::uint32_t k = 0; k < c.entries.count; ++k) {
        const core::settle_entry& e = c.entries[k];
        if (e.index >= b.messages.count) return log.broken("a settle of a wrong index");
        log.expect((shape_.dispositions & core::bit(e.what)) != 0, "a disposition that was not declared");
        log.expect(c.outcomes[k].result == 0, "an outcome that was not zeroed");
        log.expect((e.reply != nullptr) == (e.what == disposition::reply || e.what == disposition::reply_more),
                   "a reply in the wrong place");
        lane& l = lanes_[b.messages[e.index].lane];
        log.expect(!l.is_done, "a settle of a lane after its lanes_done");
        if (e.what == disposition::reply_more) {
            ++l.replies_in_call;
            continue;
        }
        only_more = false;
        log.expect(!b.is_final[e.index], "an index was settled after its outcome");
        log.expect(named.insert(e.index).second, "an index was named twice in one call");
        log.expect(!b.in_call[e.index], "an index was named in two calls at once");
        b.in_call[e.index] = true;
        if (shape_.unit != settle_unit::prefix) continue;
        if (!position.contains(l.id)) log.expect(!std::exchange(l.in_call, true), "two settles of one lane in flight");
        const std::size_t k_of_lane = position[l.id]++;
        if (!l.alive) continue;
        log.expect(k_of_lane < l.unsettled.size() && l.unsettled[k_of_lane] == std::pair{&b, e.index}, "a lane was not settled in order");
    }
    if (only_more || shape_.unit != settle_unit::batch) return;
    log.expect(named.size() == b.messages.count, "a unit of work was not settled in one call");
    log.expect(++units_in_call_ == 1, "two units of work were settled at once");
}

status source::record(core::settle_call& c, operation& op) {
    batch& b = *batches_.at(c.batch);
    if (!connected_ || (op.wrong && op.wrong->status == status::disconnected)) return settled(c, status::disconnected);
    // A unit of work of which a part was taken away cannot be recorded at all.
    const bool whole_is_gone = shape_.unit == settle_unit::batch && std::ranges::find(b.dropped, true) != b.dropped.end();
    std::set<std::uint64_t> stopped;  // lanes of which nothing more is recorded in this call
    for (std::uint32_t k = 0; k < c.entries.count; ++k) {
        const core::settle_entry& e = c.entries[k];
        const std::uint64_t id = b.messages[e.index].lane;
        if (shape_.unit == settle_unit::prefix && stopped.contains(id) && e.what != disposition::reply_more) continue;
        std::uint32_t asked = k;
        if (shape_.unit == settle_unit::batch && op.wrong && op.wrong->result) asked = op.wrong->first;  // all have one outcome
        std::int32_t result = static_cast<std::int32_t>(settle_result::ok);
        if (op.wrong && op.wrong->status != status::ok) result = static_cast<std::int32_t>(settle_result::retry);
        if (op.wrong && op.wrong->names(asked)) result = *op.wrong->result;
        if (shape_.expires > 0 && chance(shape_.expires)) result = static_cast<std::int32_t>(settle_result::gone);
        if (b.dropped[e.index] || whole_is_gone) result = static_cast<std::int32_t>(settle_result::gone);
        c.outcomes[k].result = result;
        record_one(b, e, static_cast<settle_result>(result));
        if (c.outcomes[k].settled() != settle_result::ok) stopped.insert(id);
    }
    return settled(c, op.wrong ? op.wrong->status : status::ok);
}

void source::record_one(batch& b, const core::settle_entry& e, settle_result result) {
    item& i = *b.items[e.index];
    if (result == settle_result::retry) return;
    if (e.what == disposition::reply_more) {
        if (result == settle_result::ok) i.replies.emplace_back(e.reply->payload.text());
        return;
    }
    b.is_final[e.index] = true;
    if (result == settle_result::gone) {
        if (shape_.unit == settle_unit::prefix)
            drop(lanes_[b.messages[e.index].lane]);
        else
            give_back(b, e.index);
        return;
    }
    forget(b, e.index);
    if (e.what == disposition::nack) return store_.give_back(i), wake(verb::receive);
    if (e.what == disposition::reply) i.replies.emplace_back(e.reply->payload.text());
    const bool is_delivered = e.what == disposition::reply || (e.what == disposition::ack && e.reason.size == 0);
    around_.log.expect(!is_delivered || target_.has({i.partition, i.number}), "a message was acknowledged before the output had it");
    i.at = item::place::settled;
    i.how = e.what;
    i.reason = std::string_view{e.reason};
    ++i.times_settled;
}

status source::settled(core::settle_call& c, status answer) {
    batch& b = *batches_.at(c.batch);
    --b.calls;
    bool only_more = true;
    for (std::uint32_t k = 0; k < c.entries.count; ++k) {
        const core::settle_entry& e = c.entries[k];
        if (e.what == disposition::reply_more) {
            --lanes_[b.messages[e.index].lane].replies_in_call;
            continue;
        }
        only_more = false;
        b.in_call[e.index] = false;
        lanes_[b.messages[e.index].lane].in_call = false;
    }
    if (!only_more && shape_.unit == settle_unit::batch) --units_in_call_;
    return answer;
}

void source::revoke(std::vector<std::uint32_t> partitions) {
    if (!connected_ || closed_) return;
    revocation r{next_token_++, {}};
    for (std::uint32_t p : partitions) {
        auto at = current_.find(p);
        if (at == current_.end() || at->second == 0) continue;
        r.lanes.push_back(at->second);
        at->second = 0;  // nobody reads it until the lanes are given up
    }
    if (r.lanes.empty()) return;
    revocations_.push_back(r);
    raise([this, r] {
        if (sink_) sink_->on_lanes_ending(r.lanes, 1, r.token);
    });
    if (shape_.deadline_first) hop(3, r.token);
}

// The deadline: some mails later.
void source::hop(int left, std::uint64_t token) {
    raise([this, left, token] {
        if (left > 0)
            hop(left - 1, token);
        else
            end_lanes(token);
    });
}

void source::lanes_done(std::uint64_t token) {
    around_.log.started(verb::lanes_done);
    around_.log.expect(done_tokens_.insert(token).second, "lanes_done came twice for a token");
    around_.log.expect(token < next_token_, "lanes_done of a token that was never raised");
    auto at = std::ranges::find(revocations_, token, &revocation::token);
    if (at == revocations_.end()) return;
    for (std::uint64_t id : at->lanes) {
        around_.log.expect(!lanes_[id].in_call && lanes_[id].replies_in_call == 0, "lanes_done while a settle of the lane was in flight");
        lanes_[id].is_done = true;
    }
    end_lanes(token);
}

void source::end_lanes(std::uint64_t token) {
    auto at = std::ranges::find(revocations_, token, &revocation::token);
    if (at == revocations_.end()) return;
    const revocation ended = *at;
    revocations_.erase(at);
    for (std::uint64_t id : ended.lanes) {
        lane& l = lanes_[id];
        drop(l);
        if (auto c = current_.find(l.partition); c != current_.end() && c->second == 0) current_.erase(c);
    }
    raise([this, token] {
        if (sink_) sink_->on_lanes_ended(token);
    });
    wake(verb::receive);
}

}  // namespace mqb::shapes
