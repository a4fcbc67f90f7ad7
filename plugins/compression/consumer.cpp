#include "consumer.hpp"

#include <algorithm>
#include <utility>

namespace mqb::compressing {

using sdk::status;

namespace {
constexpr int most_in_a_row = 16;  // batches of which nothing is left, before others run
constexpr std::string_view discarded = "discarded";
}  // namespace

consumer::consumer(const sdk::context& made, const config& with) : consumer_middleware(made), config_(with) {
    if (with.algorithm != codec::compression::none) unpacker_.emplace(with.algorithm, with.max_decompressed_bytes);
}

consumer::~consumer() {
    for (const auto& one : sources_) free_inner(one->batch);
}

status consumer::receive(sdk::receive_call& call) {
    is_cancelled_ = false;
    // The rest of one batch comes before the next is read.
    const auto rest = std::ranges::find_if(sources_, [](const auto& one) { return one->next < one->messages.count; });
    if (rest != sources_.end() && give(call, **rest)) return status::done;
    const status answer = read(call);
    if (answer == status::pending) above_ = call.later();
    return answer;
}

status consumer::read(const sdk::receive_call& call) {
    for (int n = 0; n < most_in_a_row; ++n) {
        below_.raw().max_messages = call.max_messages();
        below_.raw().max_bytes = call.max_bytes();
        below_.raw().drain = call.raw().drain;
        below_.raw().messages = mqb_list_of(nullptr, 0, sizeof(mqb_message));
        below_.raw().batch = nullptr;
        const status answer = below_.run([this](mqb_receive* raw) { return inner()->table->receive(inner(), raw); }, came, *this);
        if (answer == status::pending) return answer;
        if (const status mine = took(call, answer); mine != status::pending) return mine;
    }
    is_waiting_ = turn_.start(
        host(), host().now(), [](void* self, bool) { static_cast<consumer*>(self)->go_on(status::pending); }, this);
    return is_waiting_ ? status::pending : call.fail(status::retry, "the host has no timers");
}

void consumer::came(consumer& self, status answer) { self.go_on(self.took(*self.above_, answer)); }

void consumer::go_on(status answer) {
    is_waiting_ = false;
    if (answer == status::pending) answer = is_cancelled_ ? status::cancelled : read(*above_);
    if (answer != status::pending) std::exchange(above_, {}).complete(answer);
}

// What the caller is answered; pending: nothing of it is left.
status consumer::took(const sdk::receive_call& call, status answer) {
    if (answer != status::done) {
        below_.explain_to(call);
        return answer;
    }
    if (!below_.raw().batch) return call.nothing_now();
    source_batch& from = *sources_.emplace_back(std::make_unique<source_batch>());
    from.batch = below_.raw().batch;
    from.messages = below_.raw().messages;
    return give(call, from) ? status::done : status::pending;
}

bool consumer::give(const sdk::receive_call& call, source_batch& from) {
    auto made = std::make_unique<part>();
    made->of = &from;
    std::vector<wrong_message> wrong;
    std::uint64_t bytes = 0;
    for (; from.next < from.messages.count && made->messages.size() < call.max_messages(); ++from.next) {
        mqb_message m;
        mqb_message_copy(&from.messages, from.next, &m);
        if (unpacker_ && m.payload.data) {
            if (bytes >= config_.max_decompressed_bytes) break;
            std::string why;
            auto payload = unpacker_->unpack({reinterpret_cast<const char*>(m.payload.data), m.payload.size}, why);
            if (!payload) {
                wrong.push_back({from.next, "compression: " + why});
                continue;
            }
            bytes += payload->size();
            m.payload = sdk::borrowed(made->payloads.emplace_back(std::move(*payload)).text());
        }
        made->messages.push_back(m);
        made->index.push_back(from.next);
    }
    if (!wrong.empty()) settle_wrong(from, wrong);
    if (made->messages.empty()) return free_if_over(from), false;
    ++from.parts;
    part& given = *parts_.emplace_back(std::move(made));
    call.give(mqb_list_of(given.messages.data(), static_cast<std::uint32_t>(given.messages.size()), sizeof(mqb_message)), &given);
    return true;
}

void consumer::settle_wrong(source_batch& from, const std::vector<wrong_message>& wrong) {
    const bool drops = config_.policy == on_error::drop;
    std::vector<mqb_entry> entries(wrong.size());
    std::vector<mqb_outcome> outcomes(wrong.size());
    for (std::size_t k = 0; k < wrong.size(); ++k) {
        entries[k].index = wrong[k].index;
        entries[k].disposition = drops ? MQB_ACK : MQB_REJECT;
        entries[k].reason = sdk::text_of(drops ? discarded : std::string_view{wrong[k].why});
    }
    if (drops && !std::exchange(has_told_, true))
        host().log(MQB_LOG_WARNING, wrong.front().why + "; the message is discarded, and others will only be counted");
    settle_inner(from.batch, mqb_list_of(entries.data(), static_cast<std::uint32_t>(entries.size()), sizeof(mqb_entry)),
                 mqb_list_of(outcomes.data(), static_cast<std::uint32_t>(outcomes.size()), sizeof(mqb_outcome)));
}

part* consumer::known(const void* batch) const noexcept {
    const auto at = std::ranges::find_if(parts_, [batch](const auto& p) { return p.get() == batch; });
    return at == parts_.end() ? nullptr : at->get();
}

status consumer::settle(sdk::settle_call& call) {
    const part* const settled = known(call.batch());
    if (!settled) return status::rejected;
    std::vector<mqb_entry> entries(call.size());
    for (std::uint32_t k = 0; k < call.size(); ++k) {
        mqb_entry& e = entries[k];
        e = *mqb_entry_at(&call.raw().entries, k);
        e.index = e.index < settled->index.size() ? settled->index[e.index] : UINT32_MAX;
    }
    settle_inner(settled->of->batch, mqb_list_of(entries.data(), call.size(), sizeof(mqb_entry)), call.raw().outcomes);
    return status::done;
}

void consumer::free_batch(void* batch) {
    const auto at = std::ranges::find_if(parts_, [batch](const auto& p) { return p.get() == batch; });
    if (at == parts_.end()) return;
    source_batch& of = *(*at)->of;
    parts_.erase(at);
    --of.parts;
    free_if_over(of);
}

void consumer::free_if_over(source_batch& of) {
    if (!of.is_over()) return;
    free_inner(of.batch);
    std::erase_if(sources_, [&of](const auto& one) { return one.get() == &of; });
}

// The rest comes again from where it goes on to be read.
void consumer::lanes_ending(std::span<const std::uint64_t>, std::uint64_t) {
    const auto rest = std::ranges::find_if(sources_, [](const auto& one) { return one->next < one->messages.count; });
    if (rest == sources_.end()) return;
    (*rest)->next = (*rest)->messages.count;
    free_if_over(**rest);
}

void consumer::cancel(std::uint64_t operation) {
    if (!above_ || above_.id() != operation) return;
    is_cancelled_ = true;
    if (is_waiting_)
        turn_.cancel(host());
    else
        inner()->table->cancel(inner(), below_.id());
}

}  // namespace mqb::compressing
