#include "tests/shapes/graves.hpp"

#include "tests/shapes/sink.hpp"

namespace mqb::shapes {

using core::status;

namespace {

// Answers by mail, so that a burial is in flight for a while.
class grave_store final : public core::dead_letter_store {
public:
    grave_store(graves& into, core::mailbox& box) : into_(into), box_(box) {}
    status bury(core::bury_call& c) override {
        bool all = true;
        for (const core::dead_letter& l : c.letters)
            all = into_.bury(identity_of(*l.what), std::string{to_text(l.why)} + ' ' + l.note->endpoint + ": " + l.note->error + ", " +
                                                       std::to_string(l.note->attempts)) &&
                  all;
        auto* reply = new letter;
        reply->what = &c;
        reply->answer = all ? status::ok : status::retry;
        reply->deliver = [](core::mail& m) noexcept {
            const std::unique_ptr<letter> mine{static_cast<letter*>(&m)};
            mine->what->done(*mine->what, mine->answer);
        };
        box_.put(*reply);
        return status::pending;
    }
    void cancel(core::call&) override {}

private:
    struct letter : core::mail {
        core::bury_call* what = nullptr;
        status answer = status::ok;
    };
    graves& into_;
    core::mailbox& box_;
};

class grave_publisher final : public core::publisher {
public:
    explicit grave_publisher(graves& into) : into_(into) {}
    status connect(core::call&) override { return status::ok; }
    status send(core::send_call& c) override {
        for (std::uint32_t i = 0; i < c.messages.count; ++i) {
            const bool taken = into_.bury(identity_of(c.messages[i]), "dlq");
            c.outcomes[i].set(taken ? core::send_result::done : core::send_result::again);
        }
        return status::ok;
    }
    void cancel(core::call&) override {}
    status close(core::call&) override { return status::ok; }
    void listen(core::event_sink*) override {}

private:
    graves& into_;
};

class grave_factory final : public core::endpoint_factory {
public:
    explicit grave_factory(graves& into) : into_(into) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::publisher_side; }
    [[nodiscard]] std::string_view schema() const noexcept override { return "{}"; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view, core::side) const override { return core::promises{}; }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context, std::string) override {
        co_return core::failure{status::unsupported, "is an output"};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context, std::string) override {
        co_return std::unique_ptr<core::publisher>{std::make_unique<grave_publisher>(into_)};
    }

private:
    graves& into_;
};

}  // namespace

std::unique_ptr<core::dead_letter_store> graves::open(const std::string&, std::uint64_t, core::mailbox& box, core::logger&) {
    return std::make_unique<grave_store>(*this, box);
}

bool graves::bury(identity id, std::string text) {
    const std::lock_guard lock{mutex_};
    if (std::uniform_real_distribution<double>{}(random_) < fails_) return false;
    grave& g = all_[id];
    ++g.times;
    g.text = std::move(text);
    return true;
}

std::map<identity, graves::grave> graves::all() const {
    const std::lock_guard lock{mutex_};
    return all_;
}

bool graves::has(identity id) const {
    const std::lock_guard lock{mutex_};
    return all_.contains(id);
}

std::shared_ptr<core::endpoint_factory> grave_endpoint(graves& into) { return std::make_shared<grave_factory>(into); }

}  // namespace mqb::shapes
