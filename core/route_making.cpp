// route_making: makes what a route consists of, again and again until it can be made, and decides how it will be used.
#include "core/running_route.hpp"

#include "core/endpoint_dead_letters.hpp"
#include "core/nested_chain.hpp"

#include <algorithm>

namespace mqb::core {

namespace {

constexpr std::uint64_t first_making_pause_ns = 100'000'000;

std::uint64_t nanoseconds(std::chrono::milliseconds time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

chain_parts running_route::parts(const route_definition& of) {
    return {of, in_.endpoints, in_.middlewares, log_, box_, clock_, counters_, &links_, &in_.directory_of};
}

boost::asio::awaitable<bool> running_route::make_chains() {
    if (definition_.startup_timeout) {
        startup_.pending = true;
        clock_.wait_until(later(clock_.now_steady(), nanoseconds(*definition_.startup_timeout)), startup_);
    }
    bool made = co_await make_the_output();
    if (made) made = co_await make_dead_letters();
    if (made) made = co_await make_the_input();
    if (made) {
        set_up();
        made = co_await make_workers();
    }
    co_return made;
}

// What is half made is closed before it is tried again. False: it does not come back from that, and is kept.
template <class Chain>
boost::asio::awaitable<bool> running_route::close_half_made(Chain chain) {
    constexpr bool is_input = std::is_same_v<Chain, input_chain>;
    const std::string& path = is_input ? definition_.input.path : definition_.output.path;
    bool closed = true;
    const auto close = [&](auto& one) {
        if constexpr (is_input)
            return close_one(&one, nullptr, path, unused::yes);
        else
            return close_one(nullptr, &one, path, unused::yes);
    };
    while (closed && !chain.middlewares.empty()) {
        closed = co_await close(*chain.middlewares.back());
        if (closed) chain.middlewares.pop_back();
    }
    if constexpr (is_input) {
        if (closed && chain.book) closed = co_await close(*chain.book);
    } else {
        if (closed && chain.link) closed = co_await close(*chain.link);
    }
    if (!closed) stuck_.push_back(std::make_shared<Chain>(std::move(chain)));
    co_return closed;
}

// Again and again, with growing pauses, unless the configuration is wrong or the route is to stop.
template <class Chain, class Make>
boost::asio::awaitable<bool> running_route::make_until_it_works(std::optional<Chain>& into, Make make) {
    backoff pauses{first_making_pause_ns, nanoseconds(definition_.reconnect_interval)};
    while (!into) {
        auto making = make();
        auto made = co_await std::move(making);
        if (made) {
            into.emplace(std::move(*made));
            break;
        }
        auto closing = close_half_made(std::move(*made));
        const bool closed = co_await std::move(closing);
        if (!closed) co_return false;
        auto waiting = pause_after(made.error(), pauses.next());
        const bool goes_on = co_await std::move(waiting);
        if (!goes_on) co_return false;
    }
    for (auto& m : into->middlewares) m->listen(this);
    co_return true;
}

boost::asio::awaitable<bool> running_route::make_the_output() {
    // Workers have middlewares of their own.
    without_middlewares_ = definition_;
    const bool has_workers = definition_.has_workers();
    if (has_workers) without_middlewares_.output.middlewares.clear();
    const route_definition& of = has_workers ? without_middlewares_ : definition_;
    auto making = make_until_it_works(output_, [this, &of] { return make_output(parts(of)); });
    const bool made = co_await std::move(making);
    if (made) output_->link->listen(this);
    co_return made;
}

boost::asio::awaitable<bool> running_route::make_the_input() {
    auto making = make_until_it_works(input_, [this] { return make_input(parts(definition_)); });
    const bool made = co_await std::move(making);
    if (made) input_->book->listen(this);
    co_return made;
}

boost::asio::awaitable<bool> running_route::make_dead_letters() {
    const dead_letters_definition& wanted = definition_.dead_letters;
    if (!wanted.endpoint) {
        if (in_.dead_letters) dead_letters_ = in_.dead_letters->open(definition_.name, wanted.max_bytes, box_, log_);
        co_return true;
    }
    dead_definition_ = {{"", *wanted.endpoint}};
    backoff pauses{first_making_pause_ns, nanoseconds(definition_.reconnect_interval)};
    const auto nested = nested_of(parts(definition_), "dead_letters", dead_definition_);
    while (!dead_target_) {
        auto making = nested->make_publisher("");
        auto made = co_await std::move(making);
        if (made) {
            dead_target_ = std::move(*made);
            break;
        }
        auto waiting = pause_after(made.error(), pauses.next());
        const bool goes_on = co_await std::move(waiting);
        if (!goes_on) co_return false;
    }
    dead_target_->listen(this);
    dead_letters_ = std::make_unique<endpoint_dead_letters>(*dead_target_, [this] { hold(dead_flush_); });
    set_up_flush(dead_flush_, *dead_target_, dead_letters_path);
    co_return true;
}

// How many sends at a time, in what order, and what is done with a message that fails.
void running_route::set_up() {
    const auto promised = promises_of(definition_, in_.endpoints, in_.middlewares);
    const promises top = promised ? promised->output : output_->top_promises;
    const bool takes_several = top.has(promises::concurrent | promises::ordered_retry);
    const std::uint32_t slots = definition_.has_workers() || definition_.divides_by_key(top) ? definition_.concurrency : 1;
    if (slots == 1 && takes_several)
        window_ = definition_.concurrency > 1 && !definition_.keep_order ? definition_.concurrency : std::max(definition_.send_window, 1u);
    may_flush_ = takes_several;
    one_by_one_ = definition_.keep_order && !top.has(promises::ordered_retry);
    if (one_by_one_) window_ = 1;
    keeps_order_ = slots == 1 && window_ > 1 && top.has(promises::ordered_retry);
    in_place_ = top.has(promises::ordered_retry) || definition_.keep_order || definition_.order_by != nullptr;
    if (promised) {
        can_nack_ = (promised->input.dispositions & bit(disposition::nack)) != 0;
        can_reject_ = (promised->input.dispositions & bit(disposition::reject)) != 0;
    }
    wants_replies_ = (input_->leaf.dispositions & bit(disposition::reply)) != 0;
    for (std::uint32_t n = 0; n < slots; ++n) {
        route_slot& s = slots_.emplace_back();
        s.number = n;
        s.top = &output_->top();
        set_up_flush(s.flush, *s.top, definition_.output.path.c_str());
    }
    failure_policy policy;
    policy.route = definition_.name;
    policy.input = definition_.input.path;
    policy.on_error = definition_.on_error;
    policy.max_deliveries = definition_.max_deliveries;
    policy.stop_after = definition_.dead_letters.stop_after;
    policy.store = dead_letters_.get();
    policy.listener = this;
    policy.first_pause = definition_.first_again;
    policy.longest_pause = definition_.longest_again;
    input_->book->set_policy(std::move(policy));
    input_->book->set_most_bytes(definition_.max_in_flight_bytes);
}

boost::asio::awaitable<bool> running_route::make_workers() {
    if (!definition_.has_workers()) co_return true;
    gate_.emplace(*output_->link, output_->leaf_promises, box_);
    backoff pauses{first_making_pause_ns, nanoseconds(definition_.reconnect_interval)};
    for (route_slot& s : slots_) {
        publisher& door = gate_->add_door();
        for (;;) {
            auto worker = std::make_shared<route_worker>(door, box_, in_.executor);
            const chain_parts its{definition_, in_.endpoints,    in_.middlewares,   log_,    worker->box(), worker->clock(),
                                  counters_,   &worker->links(), &in_.directory_of, s.number};
            std::vector<std::unique_ptr<publisher>> stack;
            auto making = wrap_output(its, definition_.output, output_->leaf_promises, worker->base(), stack);
            auto made = co_await std::move(making);
            if (made) {
                worker->start(std::move(stack), shared_from_this());
                worker->top().listen(this);
                worker->on_next_try([this] { note_next_try(); });
                s.top = s.flush.to = &worker->top();
                s.worker = std::move(worker);
                break;
            }
            if (!stack.empty()) {
                worker->start(std::move(stack), shared_from_this());
                auto closing = close_worker(*worker, unused::yes);
                const bool closed = co_await std::move(closing);
                if (!closed) {
                    worker->stop();
                    stuck_.push_back(worker);
                    co_return false;
                }
            }
            auto waiting = pause_after(made.error(), pauses.next());
            const bool goes_on = co_await std::move(waiting);
            if (!goes_on) co_return false;
        }
    }
    co_return true;
}

}  // namespace mqb::core
