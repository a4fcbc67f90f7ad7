#include "tests/shapes/closers.hpp"

#include <utility>

namespace mqb::shapes {

using core::status;

namespace {

// The close of one of them.
class planned_close {
public:
    planned_close(close_plan& plan, const core::instance_context& context) : plan_(plan), box_(context.box), path_(context.path) {
        letter_.deliver = [](core::mail& m) noexcept {
            auto& mine = static_cast<letter&>(m);
            mine.what->done(*mine.what, mine.answer);
        };
    }
    status start(core::call& c) {
        const close_plan::end end = plan_.closed(path_);
        if (end.answer != status::ok) c.texts.set(core::whole_call, "the plan said so");
        if (end.comes == close_plan::when::at_once) return end.answer;
        letter_.what = &c;
        letter_.answer = end.answer;
        if (end.comes == close_plan::when::by_mail) box_.put(letter_);
        return status::pending;
    }

private:
    struct letter : core::mail {
        core::call* what = nullptr;
        status answer = status::ok;
    };
    close_plan& plan_;
    core::mailbox& box_;
    std::string path_;
    letter letter_;
};

class closing_input final : public core::consumer {
public:
    closing_input(core::consumer& inner, close_plan& plan, const core::instance_context& context) : inner_(inner), close_(plan, context) {}
    status connect(core::call&) override { return status::ok; }
    status receive(core::receive_call& c) override { return inner_.receive(c); }
    status settle(core::settle_call& c) override { return inner_.settle(c); }
    void free_batch(void* batch) override { inner_.free_batch(batch); }
    void cancel(core::call& c) override { inner_.cancel(c); }
    status close(core::call& c) override { return close_.start(c); }
    void listen(core::event_sink*) override {}

private:
    core::consumer& inner_;
    planned_close close_;
};

class closing_output final : public core::publisher {
public:
    closing_output(core::publisher* inner, close_plan& plan, const core::instance_context& context)
        : inner_(inner), plan_(plan), path_(context.path), close_(plan, context) {}
    status connect(core::call&) override { return status::ok; }
    status send(core::send_call& c) override {
        if (inner_) return inner_->send(c);
        if (c.messages.empty()) {
            const status answer = plan_.flushed(path_);
            if (answer != status::ok) c.texts.set(core::whole_call, "the plan said so");
            return answer;
        }
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(core::send_result::done);
        return status::ok;
    }
    void cancel(core::call& c) override {
        if (inner_) inner_->cancel(c);
    }
    status close(core::call& c) override { return close_.start(c); }
    void listen(core::event_sink*) override {}

private:
    core::publisher* inner_;  // null: it is the end
    close_plan& plan_;
    std::string path_;
    planned_close close_;
};

class closing_middlewares final : public core::middleware_factory {
public:
    explicit closing_middlewares(close_plan& plan) : plan_(plan) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::consumer_side | core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side, core::promises inner) const override { return inner; }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> wrap(core::instance_context context, std::string,
                                                                               core::consumer& inner) override {
        if (!plan_.can_make(context.path)) co_return core::failure{status::retry, "not now"};
        co_return std::unique_ptr<core::consumer>{std::make_unique<closing_input>(inner, plan_, context)};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> wrap(core::instance_context context, std::string,
                                                                                core::publisher& inner) override {
        if (!plan_.can_make(context.path)) co_return core::failure{status::retry, "not now"};
        co_return std::unique_ptr<core::publisher>{std::make_unique<closing_output>(&inner, plan_, context)};
    }

private:
    close_plan& plan_;
};

class closing_ends final : public core::endpoint_factory {
public:
    explicit closing_ends(close_plan& plan) : plan_(plan) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side) const override { return core::promises{}; }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context, std::string) override {
        co_return core::failure{status::unsupported, "is an output"};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context context,
                                                                                          std::string) override {
        co_return std::unique_ptr<core::publisher>{std::make_unique<closing_output>(nullptr, plan_, context)};
    }

private:
    close_plan& plan_;
};

}  // namespace

std::shared_ptr<core::middleware_factory> closing_middleware(close_plan& plan) { return std::make_shared<closing_middlewares>(plan); }

std::shared_ptr<core::endpoint_factory> closing_endpoint(close_plan& plan) { return std::make_shared<closing_ends>(plan); }

}  // namespace mqb::shapes
