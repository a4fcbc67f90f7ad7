#include "channel_source.hpp"

namespace mqb::memory {

namespace {

// While a reader drains, the last sender may go without anybody to tell it: free calls nobody.
constexpr std::uint64_t look_again_ns = 20'000'000;

// A message that comes again after a while. Counts as outstanding until then.
struct delayed_return {
    std::shared_ptr<channel> to;
    reader* who;
    run message;
    sdk::timer timer;

    static void rang(void* self, bool) {
        std::unique_ptr<delayed_return> one(static_cast<delayed_return*>(self));
        one->to->give_back(*one->who, {one->message});
    }
};

}  // namespace

channel_source::channel_source(const sdk::host_ref& host, const config& with) : host_(host), config_(with) {
    if (!config_.subscribe_mode) return;
    broadcast_ = broadcast::open(config_.where().name, config_.capacity, config_.capacity_bytes);
    try {
        channel_ = broadcast_->subscribe();
    } catch (...) {
        broadcast::close(broadcast_);
        throw;
    }
    connected_ = channel_.get();
}

channel_source::~channel_source() {
    delete reader_.with;
    while (idle_) delete std::exchange(idle_, idle_->next);
    if (broadcast_) broadcast_->unsubscribe(channel_), channel_.reset();
    channel::close(channel_);
    broadcast::close(broadcast_);
}

void channel_source::connect() {
    if (!broadcast_) return open(config_.where().name);
    if (broadcast_->has_begun() || std::exchange(is_connected_, true)) return;
    const auto rang = [](void* self, bool on_time) {
        if (on_time) static_cast<channel_source*>(self)->broadcast_->begin();
    };
    if (!begins_.start(host(), host().now() + broadcast::gathering_ns, rang, this)) broadcast_->begin();
}

void channel_source::open(const std::string& name) {
    if (channel_) return;
    channel_ = channel::open(name, config_.capacity, config_.capacity_bytes);
    connected_ = channel_.get();
}

sdk::status channel_source::receive(sdk::receive_call& call) {
    if (!reader_.with) reader_.with = idle_ ? std::exchange(idle_, idle_->next) : new delivery;
    reader_.max_messages = call.max_messages();
    reader_.max_bytes = call.max_bytes();
    reader_.drains = call.drains();
    const bool drains = call.drains();  // the call is not ours any more once it waits
    if (drains && !drains_since_) drains_since_ = host().now();
    reader_.has_waited_for_senders = drains && has_waited_for_senders();
    const sdk::status answer = channel_->receive(reader_, call);
    if (answer == sdk::status::pending && drains) look_again_later();
    if (answer != sdk::status::done) return answer;
    delivery* given = std::exchange(reader_.with, nullptr);
    given->begin();
    return call.give(given->list(), given);
}

void channel_source::settle(sdk::settle_call& call) {
    auto& batch = *static_cast<delivery*>(call.batch());
    if (settle_all(batch, call)) return;
    std::uint64_t settled = 0;
    for (const sdk::settle_entry entry : call) {
        if (!entry.is_final()) {
            if (batch.tells()) tell(batch, entry);
            entry.ok();
            continue;
        }
        if (!batch.settle(entry.index())) {
            entry.gone();
            continue;
        }
        if (entry.disposition() == MQB_NACK) {
            nack(batch, entry);
        } else {
            if (batch.tells()) tell(batch, entry);
            ++settled;
        }
        entry.ok();
    }
    if (settled) channel_->settled(reader_, settled);
}

// The usual call: it acknowledges everything of a batch, in order.
bool channel_source::settle_all(delivery& batch, sdk::settle_call& call) {
    if (call.size() != batch.count() || batch.unsettled() != batch.count()) return false;
    for (std::uint32_t i = 0; i < call.size(); ++i) {
        const mqb_entry* entry = mqb_entry_at(&call.raw().entries, i);
        if (entry->index != i || entry->disposition != MQB_ACK) return false;
    }
    batch.settle_all();
    call.all_ok();
    channel_->settled(reader_, batch.count());
    return true;
}

// An answer and then, of a final entry, the acknowledgement, to whoever waits for them.
void channel_source::tell(delivery& batch, const sdk::settle_entry& entry) {
    const run message = batch.run_of(entry.index());
    if (!message.of || !message.of->told) return;
    if (entry.reply()) message.of->told->answered(message.of->told_index(message.from), *entry.reply());
    if (entry.is_final()) message.of->told->acknowledged(message.of->told_index(message.from));
}

void channel_source::nack(delivery& batch, const sdk::settle_entry& entry) {
    const run old = batch.run_of(entry.index());
    const run message{old.of->again(old.from), 0, 1};
    if (entry.delay_ns() > 0) {
        auto waits = std::make_unique<delayed_return>();
        waits->to = channel_;
        waits->who = &reader_;
        waits->message = message;
        if (waits->timer.start(host(), host().now() + entry.delay_ns(), delayed_return::rang, waits.get())) return void(waits.release());
    }
    channel_->give_back(reader_, {message});
}

void channel_source::free_batch(void* raw) {
    auto* batch = static_cast<delivery*>(raw);
    if (batch->unsettled()) channel_->give_back(reader_, batch->take_unsettled());
    batch->end();
    batch->next = idle_;
    idle_ = batch;
}

void channel_source::cancel(std::uint64_t operation) {
    if (channel* from = connected_) from->cancel_receive(reader_, operation);
}

bool channel_source::has_waited_for_senders() const { return drains_since_ && host().now() - drains_since_ >= first_sender_ns; }

void channel_source::look_again_later() {
    if (looks_again_.exchange(true)) return;
    const auto rang = [](void* self, bool on_time) { static_cast<channel_source*>(self)->look_again(on_time); };
    if (!timer_.start(host(), host().now() + look_again_ns, rang, this)) looks_again_ = false;
}

void channel_source::look_again(bool on_time) {
    looks_again_ = false;
    if (channel_->look_again(reader_, has_waited_for_senders()) && on_time) look_again_later();
}

}  // namespace mqb::memory
