#include "host/loading/instance.hpp"

#include "host/loading/disposable_thread.hpp"

#include <deque>
#include <mutex>
#include <utility>

namespace mqb::loading {

namespace {

// Where instances rest whose plugin may still call them against the rules.
class resting_place {
public:
    static constexpr std::size_t most_freed = 64;

    void put(std::shared_ptr<plugin_instance> instance, bool for_ever) {
        std::shared_ptr<plugin_instance> oldest;  // destroyed outside of the lock
        std::lock_guard lock{mutex_};
        if (for_ever) return kept_.push_back(std::move(instance));
        freed_.push_back(std::move(instance));
        if (freed_.size() > most_freed) {
            oldest = std::move(freed_.front());
            freed_.pop_front();
        }
    }

private:
    std::mutex mutex_;
    std::deque<std::shared_ptr<plugin_instance>> freed_;
    std::vector<std::shared_ptr<plugin_instance>> kept_;
};

resting_place& resting() {
    static auto& place = *new resting_place;  // never destroyed: a plugin's thread may outlive main
    return place;
}

}  // namespace

plugin_instance::plugin_instance(std::shared_ptr<const library> from, const call_place& place, core::instance_context& context,
                                 bool checking)
    : library_(std::move(from)), gate_(place, context), timers_(gate_), host_(gate_, timers_), operations_(gate_, &children_),
      checking_(checking) {
    closed_.self = this;
    closed_.deliver = &plugin_instance::on_closed;
}

void plugin_instance::collect(operation& op, const mqb_list& outcomes) noexcept {
    if (!op.relaid) [[likely]]
        return;
    if (!op.relaid->are_gaps_intact()) gate_.misbehaved(op.kind.load(std::memory_order_relaxed), "wrote behind an element of an array");
    op.relaid->copy_back(outcomes);
    op.relaid.reset();
}

void plugin_instance::lend(std::string path, std::unique_ptr<lent> what) {
    what->watch([this] { operations_.release_held(); });
    children_.add(std::move(path), std::move(what));
}

bool plugin_instance::is_idle() const { return timers_.is_empty() && children_.is_idle(); }

core::status plugin_instance::close(core::call& c, std::function<void()> free_handle) {
    if (closing_ || is_freed_) return core::status::unsupported;
    closing_ = &c;
    free_handle_ = std::move(free_handle);
    auto on_idle = [this] { free_if_idle(); };
    timers_.end_all(on_idle);
    children_.end_all(on_idle);
    // By mail, so that what was queued before is delivered before the plugin is freed.
    gate_.post_work(on_idle);
    return core::status::pending;
}

void plugin_instance::free_if_idle() {
    // What is lent accepts nothing since close, so only the timers can be set between the look and the free.
    if (is_freeing_ || !is_idle() || !timers_.close_if_empty()) return;
    is_freeing_ = true;
    gate_.enter_phase(phase::freeing);
    const bool is_begun = run_detached([self = shared_from_this(), free_handle = std::exchange(free_handle_, nullptr)] {
        free_handle();
        self->gate_.enter_freed();
        self->gate_.post(self->closed_);
    });
    if (is_begun) return;
    is_kept_ = true;
    gate_.write_log(core::log_level::error, gate_.site(entry_point::free).text() + " is not called: cannot start a thread");
    gate_.post(closed_);
}

void plugin_instance::on_closed(core::mail& m) noexcept {
    plugin_instance& self = *static_cast<closed_mail&>(m).self;
    if (self.gate_.now() == phase::gone) return;
    self.is_freed_ = true;
    const auto answer = [one = &self](core::status came) {
        core::call& c = *std::exchange(one->closing_, nullptr);
        c.done(c, came);
    };
    if (const core::status came = self.nested_.close(*self.closing_, answer); came != core::status::pending) answer(came);
}

void plugin_instance::let_go() noexcept {
    gate_.close_for_good();
    nested_.clear();
    const bool may_be_called = is_kept_ || !is_freed_ || operations_.in_flight() != 0 || gate_.has_mail_out() || !is_idle();
    try {
        resting().put(shared_from_this(), may_be_called);
    } catch (...) {
        new std::shared_ptr<plugin_instance>(shared_from_this());  // kept for ever
    }
}

}  // namespace mqb::loading
