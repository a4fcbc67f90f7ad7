#include "queue.hpp"

namespace mqb::shapes::broker {

void queue::partition_into(std::uint32_t partitions) {
    if (ready_.size() < partitions) ready_.resize(partitions);
}

void queue::fill(std::uint32_t n, std::uint32_t partitions, std::uint32_t bytes) {
    partition_into(partitions);
    std::vector<std::uint32_t> next(partitions);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t p = i % partitions;
        std::string payload = std::to_string(p) + ':' + std::to_string(next[p]++);
        if (payload.size() < bytes) payload.append(bytes - payload.size(), ' ');
        std::string id(16, '\x5a');
        const std::uint64_t number = items_.size() + 1;
        std::memcpy(id.data(), &number, sizeof number);
        store({id, p + 1, payload, {}});
    }
}

std::uint64_t queue::store(const letter& what) {
    partition_into(1);
    item one;
    one.id = what.id;
    one.metadata = what.metadata;
    if (what.payload) one.payload = *what.payload;
    one.partition = what.lane ? static_cast<std::uint32_t>(((what.lane - 1) & 0xffff) % ready_.size()) : 0;
    items_.push_back(std::move(one));
    ids_.emplace(what.id);
    ++log.stored;
    const std::uint64_t message = items_.size() - 1;
    ready_[items_.back().partition].insert(message);
    if (on_ready) on_ready();
    return message;
}

bool queue::may_read(const holder& who, std::uint32_t partition) const {
    if (!has_claims(who)) return true;
    const auto owner = owner_.find(stream_of(who, partition));
    if (owner == owner_.end()) return true;
    const claim& c = claims_.at(owner->second);
    return c.holder == who.number && c.token == 0;
}

std::optional<std::uint64_t> queue::first_for(const holder& who) const {
    std::optional<std::uint64_t> first;
    for (std::uint32_t p = 0; p < ready_.size(); ++p)
        if (!ready_[p].empty() && may_read(who, p) && (!first || *ready_[p].begin() < *first)) first = *ready_[p].begin();
    return first;
}

std::uint32_t queue::deliver(holder& to, std::uint32_t max, std::uint64_t max_bytes, wire::writer& frame) {
    std::uint32_t n = 0;
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> leased;
    for (; n < max; ++n) {
        const auto message = first_for(to);
        if (!message) break;
        item& one = items_[*message];
        const std::uint64_t size = one.payload ? one.payload->size() : 0;
        if (n > 0 && max_bytes && bytes + size > max_bytes) break;
        bytes += size;
        ready_[one.partition].erase(*message);
        std::uint64_t lane = one.partition + 1;
        if (has_claims(to)) {
            const std::uint32_t stream = stream_of(to, one.partition);
            const auto [owner, is_new] = owner_.try_emplace(stream, next_claim_);
            if (is_new) claims_[next_claim_++] = {to.number, stream, 0, {}};
            one.claim = owner->second;
            claims_[one.claim].out.push_back(*message);
            lane = one.claim << 16 | (stream + 1);
        }
        one.is = state::out;
        one.holder = to.number;
        ++out_;
        ++log.deliveries;
        if (++one.count > 1) ++log.redeliveries;
        to.out.insert(*message);
        const std::uint64_t delivery = delivery_of(*message, one.count);
        if (to.how == wire::mode::lease) {
            one.lease_ends = timers::clock::now() + to.lease;
            leased.push_back(delivery);
        }
        frame.u64(delivery).u64(lane).u32(one.count).raw(one.id.data(), 16);
        frame.blob(one.payload ? std::optional<std::string_view>(*one.payload) : std::nullopt).text(one.metadata);
    }
    if (!leased.empty()) {
        leased_[to.number] = &to;
        later_.after(to.lease, [this, who = to.number, leased] { look_for_expired(who, leased); });
    }
    return n;
}

bool queue::is_empty_for(const holder& who) const { return !first_for(who) && delayed_ == 0; }

queue::item* queue::held(const holder& who, std::uint64_t delivery) {
    const std::uint64_t message = message_of(delivery);
    if (message >= items_.size()) return nullptr;
    item& one = items_[message];
    return one.is == state::out && one.holder == who.number && delivery == delivery_of(message, one.count) ? &one : nullptr;
}

wire::settled queue::settle(holder& who, std::uint64_t delivery, wire::disposition what, std::chrono::nanoseconds delay, bool fails) {
    using wire::disposition;
    item* one = held(who, delivery);
    const std::uint64_t message = message_of(delivery);
    if (!one) {
        ++log.gone;
        log.note("settle", who.number, "gone", message);
        return wire::settled::gone;
    }
    if (what == disposition::reply_more) return ++log.replies, wire::settled::ok;
    if (has_claims(who)) {
        claim& c = claims_.at(one->claim);
        if (c.out.front() != message) {
            if (!fails) log.violation("message " + std::to_string(message) + " was acknowledged before one that was delivered earlier");
            return wire::settled::retry;
        }
        if (!fails) c.out.pop_front();
    }
    if (fails) return wire::settled::retry;
    who.out.erase(message);
    --out_;
    if (what == disposition::nack) {
        ++log.nacks;
        log.note("settle", who.number, "nack", message);
        if (delay.count() == 0) return make_ready(message), wire::settled::ok;
        one->is = state::delayed;
        ++delayed_;
        later_.after(delay, [this, message] { --delayed_, make_ready(message); });
        return wire::settled::ok;
    }
    one->is = what == disposition::reject ? state::rejected : state::acknowledged;
    ++(what == disposition::reject ? log.rejected : log.acknowledged);
    if (what == disposition::reply) ++log.replies;
    log.note("settle", who.number, what == disposition::reject ? "rejected" : "acknowledged", message);
    ++settled_;
    if (is_finished() && on_ready) on_ready();  // whoever waits for the end
    return wire::settled::ok;
}

bool queue::is_whole(const holder& who, const std::vector<std::uint64_t>& deliveries) const { return deliveries.size() == who.out.size(); }

void queue::make_ready(std::uint64_t message) {
    item& one = items_[message];
    one.is = state::ready;
    one.claim = 0;
    ready_[one.partition].insert(message);
    if (on_ready) on_ready();
}

void queue::return_one(holder& who, std::uint64_t message) {
    who.out.erase(message);
    --out_;
    make_ready(message);
}

void queue::end_claim(holder& who, std::uint64_t number) {
    const auto found = claims_.find(number);
    if (found == claims_.end()) return;
    const claim c = std::move(found->second);
    claims_.erase(found);
    owner_.erase(c.stream);
    for (const std::uint64_t message : c.out) return_one(who, message);
    if (on_ready) on_ready();  // whoever waits for the lane
}

void queue::give_back(holder& who, const std::vector<std::uint64_t>& deliveries) {
    for (const std::uint64_t delivery : deliveries) {
        const item* one = held(who, delivery);
        if (!one) continue;
        ++log.given_back;
        if (has_claims(who))
            end_claim(who, one->claim);
        else
            return_one(who, message_of(delivery));
    }
}

void queue::extend(holder& who, const std::vector<std::uint64_t>& deliveries) {
    for (const std::uint64_t delivery : deliveries)
        if (item* one = held(who, delivery)) one->lease_ends = timers::clock::now() + who.lease;
}

void queue::look_for_expired(std::uint32_t who, std::vector<std::uint64_t> deliveries) {
    const auto found = leased_.find(who);
    if (found == leased_.end()) return;
    const auto now = timers::clock::now();
    auto next = now + found->second->lease;
    std::vector<std::uint64_t> left;
    for (const std::uint64_t delivery : deliveries) {
        const item* one = held(*found->second, delivery);
        if (!one) continue;
        if (one->lease_ends > now) {
            left.push_back(delivery);
            next = std::min(next, one->lease_ends);
            continue;
        }
        ++log.expired;
        log.note("lease", who, "expired", message_of(delivery));
        return_one(*found->second, message_of(delivery));
    }
    if (!left.empty()) later_.after(next - now, [this, who, left] { look_for_expired(who, left); });
}

void queue::leave(holder& who) {
    leased_.erase(who.number);
    log.dropped += who.out.size();
    for (auto it = claims_.begin(); it != claims_.end();) {
        const auto next = std::next(it);
        if (it->second.holder == who.number) end_claim(who, it->first);
        it = next;
    }
    while (!who.out.empty()) return_one(who, *who.out.begin());
}

std::vector<queue::ending> queue::begin_to_end(std::uint32_t lanes) {
    std::map<std::uint32_t, ending> by_holder;
    for (auto& [number, c] : claims_) {
        if (lanes == 0) break;
        if (c.token) continue;
        --lanes;
        ending& e = by_holder[c.holder];
        if (!e.token) e.holder = c.holder, e.token = next_token_++;
        c.token = e.token;
        e.lanes.push_back(number << 16 | (c.stream + 1));
    }
    std::vector<ending> out;
    for (auto& [who, e] : by_holder) out.push_back(std::move(e));
    log.revocations += out.size();
    return out;
}

std::optional<std::uint32_t> queue::end_lanes(const std::map<std::uint32_t, holder*>& holders, std::uint64_t token) {
    std::optional<std::uint32_t> who;
    for (auto it = claims_.begin(); it != claims_.end();) {
        const auto next = std::next(it);
        if (it->second.token == token) {
            who = it->second.holder;
            end_claim(*holders.at(it->second.holder), it->first);
        }
        it = next;
    }
    return who;
}

std::string queue::payloads() const {
    std::string out;
    for (const item& one : items_) out += one.payload.value_or("") + '\n';
    return out;
}

std::string queue::summary() const {
    std::string out = "{";
    const auto number = [&out](const char* key, std::uint64_t value) {
        out += (out.size() > 1 ? ", \"" : "\"") + std::string(key) + "\": " + std::to_string(value);
    };
    std::size_t ready = 0;
    for (const auto& p : ready_) ready += p.size();
    number("messages", items_.size()), number("ready", ready), number("out", out_), number("delayed", delayed_);
    number("acknowledged", log.acknowledged), number("rejected", log.rejected), number("replies", log.replies);
    number("deliveries", log.deliveries), number("redeliveries", log.redeliveries), number("nacks", log.nacks);
    number("gone", log.gone), number("given_back", log.given_back), number("expired", log.expired), number("dropped", log.dropped);
    number("sends", log.sends), number("stored", log.stored), number("repeats", log.repeats);
    number("connections", log.connections), number("revocations", log.revocations), number("faults", broken.count());
    out += ", \"violations\": [";
    for (const std::string& text : log.violations()) out += (out.back() == '[' ? "\"" : ", \"") + text + '"';
    return out + "]}";
}

}  // namespace mqb::shapes::broker
