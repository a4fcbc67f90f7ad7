#include "consumer.hpp"

namespace mqb::memory {

namespace {

// While a reader drains, the last sender may go without anybody to tell it: free calls nobody.
constexpr std::uint64_t look_again_ns = 20'000'000;
// How long a reader that drains waits for the first sender of its channel: routes of one process start in any order.
constexpr std::uint64_t first_sender_ns = 500'000'000;

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

// The message on its own, one delivery more: the batch that it is in is still being read.
run again(const run& one) {
    const mqb_list list = mqb_list_of(one.of->element(one.from), 1, one.of->element_size());
    const std::uint32_t before = one.of->message(one.from).delivery_count;
    parcel* copy = parcel::make(list);
    copy->message(0).delivery_count = before + 1;
    copy->set_place(one.of->place(one.from));
    return {copy, 0, 1};
}

}  // namespace

consumer::consumer(const sdk::context& made, const config& with) : sdk::consumer(made), config_(with) {}

consumer::~consumer() {
    delete reader_.with;
    while (idle_) delete std::exchange(idle_, idle_->next);
    channel::close(channel_);
}

sdk::promises consumer::promise(const config&) {
    return sdk::promises().acknowledges(sdk::settles::message).takes(MQB_NACK).stable_identity();
}

void consumer::connect() {
    if (channel_) return;
    channel_ = channel::open(std::string(config_.channel_name()), config_.capacity, config_.capacity_bytes);
    connected_ = channel_.get();
}

sdk::status consumer::receive(sdk::receive_call& call) {
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

void consumer::settle(sdk::settle_call& call) {
    auto& batch = *static_cast<delivery*>(call.batch());
    std::uint64_t settled = 0;
    for (const sdk::settle_entry entry : call) {
        if (!batch.settle(entry.index())) {
            entry.gone();
            continue;
        }
        if (entry.disposition() == MQB_NACK)
            nack(batch, entry);
        else
            ++settled;
        entry.ok();
    }
    if (settled) channel_->settled(reader_, settled);
}

void consumer::nack(delivery& batch, const sdk::settle_entry& entry) {
    const run message = again(batch.run_of(entry.index()));
    if (entry.delay_ns() > 0) {
        auto waits = std::make_unique<delayed_return>();
        waits->to = channel_;
        waits->who = &reader_;
        waits->message = message;
        if (waits->timer.start(host(), host().now() + entry.delay_ns(), delayed_return::rang, waits.get())) return void(waits.release());
    }
    channel_->give_back(reader_, {message});
}

void consumer::free_batch(void* raw) {
    auto* batch = static_cast<delivery*>(raw);
    if (batch->unsettled()) channel_->give_back(reader_, batch->take_unsettled());
    batch->end();
    batch->next = idle_;
    idle_ = batch;
}

void consumer::cancel(std::uint64_t operation) {
    if (channel* from = connected_) from->cancel_receive(reader_, operation);
}

bool consumer::has_waited_for_senders() const { return drains_since_ && host().now() - drains_since_ >= first_sender_ns; }

void consumer::look_again_later() {
    if (looks_again_.exchange(true)) return;
    const auto rang = [](void* self, bool on_time) { static_cast<consumer*>(self)->look_again(on_time); };
    if (!timer_.start(host(), host().now() + look_again_ns, rang, this)) looks_again_ = false;
}

void consumer::look_again(bool on_time) {
    looks_again_ = false;
    if (channel_->look_again(reader_, has_waited_for_senders()) && on_time) look_again_later();
}

}  // namespace mqb::memory
