#include "host/commands/copy_meter.hpp"

#include <algorithm>
#include <utility>

namespace mqb::host {

namespace {

// Sits on the leaf, below the ledger: what is presented again counts once.
class metered_consumer final : public core::consumer {
public:
    metered_consumer(std::unique_ptr<core::consumer> inner, copy_meter& meter) : inner_(std::move(inner)), meter_(meter) {
        asked_.self = this;
        asked_.done = [](core::call& c, core::status answer) noexcept { static_cast<asking&>(c).self->received(answer); };
    }

    core::status connect(core::call& c) override { return inner_->connect(c); }
    core::status receive(core::receive_call& c) override {
        const std::uint64_t given = meter_.messages.load(std::memory_order_relaxed);
        if (meter_.limit != 0 && given >= meter_.limit) return core::status::end;
        asked_.max_messages = c.max_messages;
        if (meter_.limit != 0)
            asked_.max_messages = static_cast<std::uint32_t>(std::min<std::uint64_t>(c.max_messages, meter_.limit - given));
        asked_.max_bytes = c.max_bytes;
        asked_.drain = c.drain;
        asked_.messages = {};
        asked_.batch = nullptr;
        asked_.texts.clear();
        waiting_ = &c;
        const core::status answer = inner_->receive(asked_);
        if (answer != core::status::pending) pass_on();
        return answer;
    }
    core::status settle(core::settle_call& c) override { return inner_->settle(c); }
    void free_batch(void* batch) override { inner_->free_batch(batch); }
    void lanes_done(std::uint64_t token) override { inner_->lanes_done(token); }
    void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) override {
        inner_->lanes_ending(lanes, deadline_ns);
    }
    core::status control(core::control_call& c) override { return inner_->control(c); }
    void cancel(core::call& c) override { inner_->cancel(&c == waiting_ ? asked_ : c); }
    core::status close(core::call& c) override { return inner_->close(c); }
    void listen(core::event_sink* sink) override { inner_->listen(sink); }

private:
    struct asking : core::receive_call {
        metered_consumer* self = nullptr;
    };

    core::receive_call& pass_on() {
        core::receive_call& to = *std::exchange(waiting_, nullptr);
        to.messages = asked_.messages;
        to.batch = asked_.batch;
        to.texts = std::move(asked_.texts);
        asked_.texts.clear();
        std::uint64_t bytes = 0;
        for (std::uint32_t i = 0; i < to.messages.count; ++i) bytes += to.messages.copy(i).payload.size;
        meter_.messages.fetch_add(to.messages.count, std::memory_order_relaxed);
        meter_.payload_bytes.fetch_add(bytes, std::memory_order_relaxed);
        return to;
    }
    void received(core::status answer) noexcept {
        core::receive_call& to = pass_on();
        to.done(to, answer);
    }

    std::unique_ptr<core::consumer> inner_;
    copy_meter& meter_;
    asking asked_;
    core::receive_call* waiting_ = nullptr;
};

class metered_factory final : public core::endpoint_factory {
public:
    metered_factory(std::shared_ptr<core::endpoint_factory> inner, copy_meter& meter) : inner_(std::move(inner)), meter_(meter) {}

    [[nodiscard]] std::uint32_t sides() const noexcept override { return inner_->sides(); }
    [[nodiscard]] std::string_view schema() const noexcept override { return inner_->schema(); }
    [[nodiscard]] core::result<core::promises> promise(std::string_view config, core::side which) const override {
        auto out = inner_->promise(config, which);
        if (out && which == core::consumer_side && meter_.limit != 0) out->flags |= core::promises::finite;
        return out;
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context context,
                                                                                        std::string config) override {
        const bool is_input = context.path == "input";
        auto making = inner_->make_consumer(std::move(context), std::move(config));
        auto made = co_await std::move(making);
        if (!made || !is_input) co_return std::move(made);
        co_return std::unique_ptr<core::consumer>{std::make_unique<metered_consumer>(std::move(*made), meter_)};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context context,
                                                                                          std::string config) override {
        return inner_->make_publisher(std::move(context), std::move(config));
    }

private:
    std::shared_ptr<core::endpoint_factory> inner_;
    copy_meter& meter_;
};

}  // namespace

std::shared_ptr<core::endpoint_factory> metered(std::shared_ptr<core::endpoint_factory> inner, copy_meter& meter) {
    return std::make_shared<metered_factory>(std::move(inner), meter);
}

}  // namespace mqb::host
