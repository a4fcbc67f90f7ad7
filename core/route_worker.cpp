#include "core/route_worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace mqb::core {

route_worker::route_worker(publisher& leaf, mailbox& home, boost::asio::any_io_executor executor)
    : home_(home), executor_(std::move(executor)), clock_(executor_, box_), to_leaf_(leaf, home, box_) {
    stop_.self = has_ended_.self = end_pauses_.self = stop_links_.self = links_are_at_rest_.self = next_try_.self = this;
    end_pauses_.deliver = [](mail& m) noexcept { static_cast<end_mail&>(m).self->links_.end_pauses(); };
    stop_links_.deliver = [](mail& m) noexcept {
        route_worker& w = *static_cast<end_mail&>(m).self;
        w.links_.stop();
        w.links_stop_ = true;
    };
    links_are_at_rest_.deliver = [](mail& m) noexcept { static_cast<end_mail&>(m).self->links_rest_ = true; };
    stop_.deliver = [](mail& m) noexcept { static_cast<end_mail&>(m).self->stops_ = true; };
    next_try_.deliver = [](mail& m) noexcept {
        route_worker& w = *static_cast<end_mail&>(m).self;
        w.next_try_is_out_ = false;
        if (w.tell_next_try_) w.tell_next_try_();
    };
    has_ended_.deliver = [](mail& m) noexcept { static_cast<end_mail&>(m).self->ended_ = true; };
}

void route_worker::start(std::vector<std::unique_ptr<publisher>> middlewares, std::shared_ptr<void> route) {
    stack_.emplace(std::move(middlewares));
    entry_.emplace(*stack_, box_, home_);
    boost::asio::co_spawn(executor_, run(shared_from_this(), std::move(route)), boost::asio::detached);
}

void route_worker::end_pauses() {
    if (!is_started() || hurries_) return;
    hurries_ = true;
    box_.put(end_pauses_);
}

void route_worker::stop_links() {
    if (!is_started() || asked_links_) return;
    asked_links_ = true;
    links_rest_ = false;
    box_.put(stop_links_);
}

void route_worker::stop() {
    if (!is_started() || std::exchange(asked_stop_, true)) return;
    box_.put(stop_);
}

void route_worker::look_at_next_try() {
    const std::uint64_t now = links_.next_try_ns();
    if (next_try_ns_.exchange(now) == now || next_try_is_out_.exchange(true)) return;
    home_.put(next_try_);
}

// Gives way after each round, so that a busy worker does not keep a thread from the others.
boost::asio::awaitable<void> route_worker::run(std::shared_ptr<route_worker> self, std::shared_ptr<void>) {
    route_worker& w = *self;
    while (!w.stops_) {
        if (!w.box_.has_mail()) {
            auto wait = w.box_.async_wait(boost::asio::deferred);
            co_await std::move(wait);
        } else {
            auto yield = boost::asio::post(w.executor_, boost::asio::deferred);
            co_await std::move(yield);
        }
        w.box_.deliver_all();
        w.look_at_next_try();
        if (w.links_stop_ && w.links_.is_at_rest()) {
            w.links_stop_ = false;
            w.home_.put(w.links_are_at_rest_);
        }
    }
    while (w.box_.deliver_all()) {}
    w.home_.put(w.has_ended_);
}

}  // namespace mqb::core
