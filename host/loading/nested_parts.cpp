#include "host/loading/nested_parts.hpp"

#include "core/nested_chain.hpp"

namespace mqb::loading {

namespace {

template <class Stage>
class owned_part final : public nested_part {
public:
    explicit owned_part(std::unique_ptr<Stage> it) : it_(std::move(it)) {}
    core::status connect(core::call& c) override { return it_->connect(c); }
    core::status close(core::call& c) override { return it_->close(c); }
    void cancel(core::call& c) override { it_->cancel(c); }
    void listen(core::event_sink* sink) override { it_->listen(sink); }
    boost::asio::awaitable<void> close_unused(core::mailbox& box) override { return core::close_unused(box, std::move(it_)); }

private:
    std::unique_ptr<Stage> it_;
};

template <class Stage>
Stage& put(std::unique_ptr<Stage> one, std::vector<std::unique_ptr<nested_part>>& into) {
    Stage& it = *one;
    into.push_back(std::make_unique<owned_part<Stage>>(std::move(one)));
    return it;
}

}  // namespace

core::publisher& nested_parts::add(std::unique_ptr<core::publisher> one) {
    is_connected_ = false;
    return put(std::move(one), parts_);
}

core::consumer& nested_parts::add(std::unique_ptr<core::consumer> one) {
    is_connected_ = false;
    return put(std::move(one), parts_);
}

std::vector<nested_part*> nested_parts::all() const {
    std::vector<nested_part*> out;
    for (const auto& p : parts_) out.push_back(p.get());
    return out;
}

core::status nested_parts::connect(core::call& asked, std::function<void(core::status)> next) {
    asked_ = &asked;
    connecting_.self = this;
    connecting_.texts.clear();
    connecting_.done = [](core::call& c, core::status answer) noexcept {
        nested_parts& self = *static_cast<own_call&>(c).self;
        const core::status told = self.connected(answer);
        std::exchange(self.connect_next_, nullptr)(told);
    };
    const core::status s = turns_.start(connecting_, all(), &nested_part::connect, core::in_turn<nested_part>::at_failure::stop);
    if (s != core::status::pending) return connected(s);
    connect_next_ = std::move(next);
    return s;
}

// Each keeps itself connected, so a failure is one that no second try mends.
core::status nested_parts::connected(core::status answer) {
    core::call& asked = *std::exchange(asked_, nullptr);
    is_connected_ = answer == core::status::ok;
    if (is_connected_) return answer;
    asked.texts = std::exchange(connecting_.texts, {});
    return answer == core::status::cancelled ? answer : core::status::bad_config;
}

core::status nested_parts::close(core::call& asked, std::function<void(core::status)> next) {
    close_asked_ = &asked;
    closing_.self = this;
    closing_.texts.clear();
    closing_.done = [](core::call& c, core::status answer) noexcept {
        nested_parts& self = *static_cast<own_call&>(c).self;
        const core::status told = self.closed(answer);
        std::exchange(self.close_next_, nullptr)(told);
    };
    const core::status s = turns_.start(closing_, all(), &nested_part::close, core::in_turn<nested_part>::at_failure::go_on);
    if (s != core::status::pending) return closed(s);
    close_next_ = std::move(next);
    return s;
}

core::status nested_parts::closed(core::status answer) {
    std::exchange(close_asked_, nullptr)->texts = std::exchange(closing_.texts, {});
    return answer;
}

void nested_parts::clear() noexcept {
    above_ = nullptr;
    parts_.clear();
}

void nested_parts::listen(core::event_sink* sink) {
    above_ = sink;
    for (const auto& p : parts_) p->listen(sink ? this : nullptr);
}

}  // namespace mqb::loading
