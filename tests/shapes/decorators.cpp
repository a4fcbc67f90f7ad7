#include "tests/shapes/decorators.hpp"

#include "core/middlewares/stage_factory.hpp"
#include "tests/shapes/sink.hpp"

#include <algorithm>
#include <utility>

namespace mqb::shapes {

using core::disposition;
using core::settle_entry;
using core::status;

status settling_later::settle(core::settle_call& c) {
    auto* made = new letter;
    made->self = this;
    made->what = &c;
    made->deliver = [](core::mail& m) noexcept {
        std::unique_ptr<letter> arrived{static_cast<letter*>(&m)};
        core::settle_call& upper = *arrived->what;
        const status answer = arrived->self->inner_.settle(upper);
        upper.done(upper, answer);
    };
    box_.put(*made);
    return status::pending;
}

status talkative::settle(core::settle_call& c) {
    for (std::uint32_t i = 0; i < c.entries.count; ++i) {
        settle_entry more = c.entries.copy(i);
        if (more.what != disposition::reply) continue;
        more.what = disposition::reply_more;
        core::outcome ignored;
        core::settle_call first;
        first.batch = c.batch;
        first.entries = core::list<const settle_entry>{std::span<const settle_entry>{&more, 1}};
        first.outcomes = core::list<core::outcome>{std::span<core::outcome>{&ignored, 1}};
        (void)inner_.settle(first);
    }
    return inner_.settle(c);
}

holding_back::holding_back(core::publisher& inner, core::instance_context context)
    : inner_(inner), box_(context.box), clock_(context.clock) {
    below_.self = bound_.self = nudge_.self = this;
    below_.done = [](core::call& c, status answer) noexcept {
        auto& b = static_cast<inner_send&>(c);
        core::send_call* upper = std::exchange(b.upper, nullptr);
        std::swap(upper->texts, b.texts);
        b.self->go_on();
        upper->done(*upper, answer);
    };
    bound_.deliver = [](core::mail& m) noexcept {
        auto& b = static_cast<bound&>(m);
        b.pending = false;
        b.self->releasing_ = true;
        b.self->go_on();
        b.self->end_close();
    };
    nudge_.deliver = [](core::mail& m) noexcept {
        auto& n = static_cast<nudge&>(m);
        n.posted = false;
        n.self->go_on();
        n.self->end_close();
    };
}

status holding_back::send(core::send_call& c) {
    held_.push_back(&c);
    if (c.messages.empty() || held_.size() >= 3) {
        releasing_ = true;
        give_on_later();
    } else if (!bound_.pending) {
        bound_.pending = true;
        clock_.wait_until(clock_.now_steady() + 2'000'000, bound_);
    }
    return status::pending;
}

void holding_back::give_on_later() {
    if (std::exchange(nudge_.posted, true)) return;
    box_.put(nudge_);
}

// Gives on what is held, one after the other.
void holding_back::go_on() {
    if (below_.upper) return;
    if (held_.empty()) releasing_ = false;
    const bool is_cancelled = !held_.empty() && std::ranges::find(cancelled_, held_.front()) != cancelled_.end();
    if (!is_cancelled && (!releasing_ || held_.empty())) return;
    core::send_call& upper = *held_.front();
    held_.pop_front();
    if (is_cancelled) {
        std::erase(cancelled_, &upper);
        give_on_later();
        return upper.done(upper, status::cancelled);
    }
    below_.upper = &upper;
    below_.messages = upper.messages;
    below_.outcomes = upper.outcomes;
    below_.texts.clear();
    below_.answer = nullptr;
    if (upper.answer)
        below_.answer = [](core::send_call& c, std::uint32_t i, const core::message& response) {
            auto& b = static_cast<inner_send&>(c);
            b.upper->answer(*b.upper, i, response);
        };
    const status answer = inner_.send(below_);
    if (answer == status::pending) return;
    below_.upper = nullptr;
    give_on_later();
    upper.done(upper, answer);
}

void holding_back::cancel(core::call& c) {
    if (&c == below_.upper) return inner_.cancel(below_);
    for (core::send_call* h : held_)
        if (h == &c) {
            cancelled_.push_back(h);
            give_on_later();
        }
}

status holding_back::close(core::call& c) {
    if (!bound_.pending && !nudge_.posted) return status::ok;
    closing_ = &c;
    if (bound_.pending) clock_.cancel(bound_);
    return status::pending;
}

void holding_back::end_close() {
    if (!closing_ || bound_.pending || nudge_.posted) return;
    core::call& c = *std::exchange(closing_, nullptr);
    c.done(c, status::ok);
}

namespace {

template <class Input, class Output>
class decorator_factory final : public core::middleware_factory {
public:
    [[nodiscard]] std::uint32_t sides() const noexcept override {
        return (std::is_void_v<Input> ? 0u : core::consumer_side) | (std::is_void_v<Output> ? 0u : core::publisher_side);
    }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side which, core::promises inner) const override {
        if (which == core::publisher_side) inner.flags |= core::promises::concurrent;
        return inner;
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> wrap(core::instance_context context, std::string,
                                                                               core::consumer& inner) override {
        if constexpr (std::is_void_v<Input>)
            co_return core::failure{};
        else
            co_return std::unique_ptr<core::consumer>{std::make_unique<Input>(inner, std::move(context))};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> wrap(core::instance_context context, std::string,
                                                                                core::publisher& inner) override {
        if constexpr (std::is_void_v<Output>)
            co_return core::failure{};
        else
            co_return std::unique_ptr<core::publisher>{std::make_unique<Output>(inner, std::move(context))};
    }
};

// Filters every third message of a partition; the stage itself is the one of core.
class filtering final : public core::stage_factory {
public:
    filtering() : stage_factory("filtering") {}
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }

private:
    struct thirds final : core::message_stage {
        core::staged apply(core::message& m, std::vector<core::counted_block>&, std::string&) override {
            return identity_of(m).second % 3 == 0 ? core::staged::filtered : core::staged::passes;
        }
    };
    [[nodiscard]] core::result<std::unique_ptr<core::message_stage>> make(std::string_view, core::side) const override {
        return std::unique_ptr<core::message_stage>{std::make_unique<thirds>()};
    }
};

}  // namespace

void add_decorators(core::CustomMiddlewareFactory& to) {
    to.add("filtering", std::make_shared<filtering>());
    to.add("settling-later", std::make_shared<decorator_factory<settling_later, void>>());
    to.add("talkative", std::make_shared<decorator_factory<talkative, void>>());
    to.add("holding-back", std::make_shared<decorator_factory<void, holding_back>>());
}

}  // namespace mqb::shapes
