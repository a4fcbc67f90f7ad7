#include "core/nested_chain.hpp"

#include "core/in_turn.hpp"

#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {

// What a nested input and a nested output have in common. Link: the reconnecting one; Stage: its interface.
template <class Stage, class Link>
class nested_end : public Stage, private nested_link, protected event_relay {
public:
    nested_end(std::string path, std::unique_ptr<Link> link, chain_links* links)
        : path_(std::move(path)), link_(std::move(link)), links_(links) {
        link_->listen(this);
        if (links_) links_->add(*this);
    }
    ~nested_end() override {
        if (links_) links_->remove(*this);
        while (!middlewares_.empty()) middlewares_.pop_back();  // outermost first: it may use what is below to its own end
    }
    // To be wrapped around the link, before the first use.
    [[nodiscard]] std::vector<std::unique_ptr<Stage>>& middlewares() noexcept { return middlewares_; }
    [[nodiscard]] Stage& link() noexcept { return *link_; }

    status connect(call& c) override {
        for (auto& m : middlewares_) m->listen(this);
        std::vector<Stage*> stages = outward();
        return turns_.start(c, std::move(stages), &Stage::connect, in_turn<Stage>::at_failure::stop);
    }
    status close(call& c) override {
        std::vector<Stage*> stages = outward();
        std::ranges::reverse(stages);
        return turns_.start(c, std::move(stages), &Stage::close, in_turn<Stage>::at_failure::go_on);
    }
    status control(control_call& c) override { return link_->control(c); }
    void cancel(call& c) override {
        if (turns_.works_for(c))
            turns_.cancel();
        else
            top().cancel(c);
    }
    void listen(event_sink* sink) override { above_ = sink; }

protected:
    [[nodiscard]] Stage& top() noexcept { return middlewares_.empty() ? *link_ : *middlewares_.back(); }
    std::string path_;
    std::unique_ptr<Link> link_;
    std::vector<std::unique_ptr<Stage>> middlewares_;  // innermost first

private:
    [[nodiscard]] std::vector<Stage*> outward() {
        std::vector<Stage*> out{link_.get()};
        for (auto& m : middlewares_) out.push_back(m.get());
        return out;
    }
    [[nodiscard]] std::string placed(std::string_view text) const { return path_ + ": " + std::string{text}; }

    void on_state(bool connected, std::string_view cause) override {
        event_relay::on_state(connected, connected ? std::string{cause} : placed(cause));
    }
    void on_warning(std::string_view text) override { event_relay::on_warning(placed(text)); }
    void on_bad_config(std::string_view text) override { event_relay::on_bad_config(placed(text)); }
    void on_misbehaviour(std::string_view text) override { event_relay::on_misbehaviour(placed(text)); }

    void stop() override { link_->stop(); }
    bool is_at_rest() const override { return link_->is_at_rest(); }
    bool is_connected() const override { return link_->is_connected(); }
    std::uint64_t next_try_ns() const override { return link_->next_try_ns(); }

    chain_links* links_;
    in_turn<Stage> turns_;
};

class nested_output final : public nested_end<publisher, reconnecting_publisher> {
public:
    using nested_end::nested_end;
    status send(send_call& c) override { return top().send(c); }
};

class nested_input final : public nested_end<consumer, reconnecting_consumer> {
public:
    using nested_end::nested_end;
    status receive(receive_call& c) override { return top().receive(c); }
    status settle(settle_call& c) override { return top().settle(c); }
    void free_batch(void* batch) override { top().free_batch(batch); }
    void lanes_done(std::uint64_t token) override { link_->lanes_done(token); }

private:
    // From the leaf outward: each gives up what it holds of them before the owner hears of it.
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) override {
        for (auto& m : middlewares_) m->lanes_ending(lanes, deadline_ns);
        event_relay::on_lanes_ending(lanes, deadline_ns, token);
    }
};

class nested_chain final : public nested_endpoints {
public:
    nested_chain(chain_parts parts, std::string path, const std::vector<nested_definition>& all)
        : parts_(parts), path_(std::move(path)), all_(all) {}

    std::vector<std::string> all() const override {
        std::vector<std::string> out;
        for (const nested_definition& n : all_) out.push_back(n.where);
        return out;
    }
    result<promises> promise(std::string_view where, side which) const override {
        return promise_of_nested(all_, path_, where, which, parts_.endpoints, parts_.middlewares);
    }
    std::string path(std::string_view where) const override {
        const nested_definition* n = find(where);
        return n ? n->endpoint.path : std::string{};
    }
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(std::string where) override {
        const nested_definition* n = find(where);
        return n ? make_output_of(parts_, n->endpoint) : refuse<publisher>(none_at(where));
    }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(std::string where) override {
        const nested_definition* n = find(where);
        return n ? make_input_of(parts_, n->endpoint) : refuse<consumer>(none_at(where));
    }

private:
    [[nodiscard]] const nested_definition* find(std::string_view where) const {
        const auto at = std::ranges::find(all_, where, &nested_definition::where);
        return at == all_.end() ? nullptr : &*at;
    }
    [[nodiscard]] failure none_at(std::string_view where) const {
        return {status::bad_config, path_ + ": has no endpoint at " + std::string{where}};
    }
    template <class Stage>
    static boost::asio::awaitable<result<std::unique_ptr<Stage>>> refuse(failure why) {
        co_return why;
    }
    static boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_output_of(chain_parts parts, const endpoint_definition& e) {
        const auto promised = promise_of_chain(e, publisher_side, parts.endpoints, parts.middlewares);
        if (!promised) co_return promised.error();
        auto making = make_output_link(parts, e);
        auto link = co_await std::move(making);
        if (!link) co_return link.error();
        auto out = std::make_unique<nested_output>(e.path, std::move(*link), parts.links);
        auto wrapping = wrap_output(parts, e, promised->leaf, out->link(), out->middlewares());
        const auto wrapped = co_await std::move(wrapping);
        if (wrapped) co_return std::unique_ptr<publisher>{std::move(out)};
        auto closing = close_unused(parts.box, std::unique_ptr<publisher>{std::move(out)});
        co_await std::move(closing);
        co_return wrapped.error();
    }
    static boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_input_of(chain_parts parts, const endpoint_definition& e) {
        const auto promised = promise_of_chain(e, consumer_side, parts.endpoints, parts.middlewares);
        if (!promised) co_return promised.error();
        auto making = make_input_link(parts, e);
        auto link = co_await std::move(making);
        if (!link) co_return link.error();
        auto out = std::make_unique<nested_input>(e.path, std::move(*link), parts.links);
        auto wrapping = wrap_input(parts, e, promised->leaf, out->link(), out->middlewares());
        const auto wrapped = co_await std::move(wrapping);
        if (wrapped) co_return std::unique_ptr<consumer>{std::move(out)};
        auto closing = close_unused(parts.box, std::unique_ptr<consumer>{std::move(out)});
        co_await std::move(closing);
        co_return wrapped.error();
    }

    const chain_parts parts_;
    const std::string path_;
    const std::vector<nested_definition>& all_;
};

template <class Stage>
boost::asio::awaitable<void> close_and_wait(mailbox& box, std::unique_ptr<Stage> what) {
    struct closing : call {
        bool pending = false;
    } c;
    c.done = [](call& self, status) noexcept { static_cast<closing&>(self).pending = false; };
    c.pending = true;
    if (what->close(c) != status::pending) c.pending = false;
    while (c.pending) {
        auto wait = box.async_wait(boost::asio::deferred);
        co_await std::move(wait);
        box.deliver_all();
    }
}

}  // namespace

std::shared_ptr<nested_endpoints> nested_of(const chain_parts& parts, const std::string& path, const std::vector<nested_definition>& all) {
    if (all.empty()) return nullptr;
    return std::make_shared<nested_chain>(parts, path, all);
}

boost::asio::awaitable<void> close_unused(mailbox& box, std::unique_ptr<publisher> what) {
    return close_and_wait<publisher>(box, std::move(what));
}

boost::asio::awaitable<void> close_unused(mailbox& box, std::unique_ptr<consumer> what) {
    return close_and_wait<consumer>(box, std::move(what));
}

}  // namespace mqb::core
