// running_route: the one coroutine of a route and what it works on. Private to the route's sources.
#pragma once

#include "core/flight.hpp"
#include "core/route_chain.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mqb::core {

// The public half (stop, abandon, snapshot, …) may be called from any thread; everything else runs in the coroutine.
class running_route final : public std::enable_shared_from_this<running_route>, private event_sink {
public:
    running_route(route_definition definition, const CustomEndpointFactory& endpoints, const CustomMiddlewareFactory& middlewares,
                  logger& log, boost::asio::any_io_executor executor);
    ~running_route();

    void start(std::function<void()> on_ended);
    void stop();
    void abandon(std::string cause);
    void set_blocked(std::string cause);
    [[nodiscard]] route_snapshot snapshot() const;
    [[nodiscard]] const route_definition& definition() const noexcept { return definition_; }

private:
    // A call that the coroutine itself waits for.
    struct awaited : call {
        awaited() {
            done = [](call& self, status came) noexcept { static_cast<awaited&>(self).ends_with(came); };
        }
        void ends_with(status came) noexcept {
            answer = came;
            ended = came != status::pending;
        }
        status answer = status::pending;
        bool ended = false;
    };
    struct receiving : receive_call {
        running_route* self = nullptr;
        bool pending = false;
    };
    struct flushing : send_call {
        running_route* self = nullptr;
        bool pending = false;
    };
    struct wake_up : mail {
        std::atomic<bool> posted{false};
    };
    struct route_timer : timer {
        running_route* self = nullptr;
        bool pending = false;
    };

    // route_loop.cpp: the life of a route
    static boost::asio::awaitable<void> run(std::shared_ptr<running_route> self);
    boost::asio::awaitable<bool> make_chains();
    boost::asio::awaitable<bool> pause_after(failure why, std::uint64_t pause_ns);
    boost::asio::awaitable<bool> connect_all();
    boost::asio::awaitable<bool> connect_one(consumer* c, publisher* p, const std::string& path);
    boost::asio::awaitable<void> move_messages();
    boost::asio::awaitable<bool> come_to_rest();
    boost::asio::awaitable<bool> close_all();
    boost::asio::awaitable<bool> close_one(consumer* c, publisher* p, const std::string& path);
    boost::asio::awaitable<void> until_mail();
    boost::asio::awaitable<void> let_others_run();
    [[nodiscard]] bool is_over() const noexcept;
    [[nodiscard]] bool is_at_rest() const noexcept;
    void begin_stopping();
    void set_deadline();
    void cancel_what_is_in_flight();
    void leave_behind();
    void finish();

    // route_flights.cpp: reading, sending, settling
    bool read();
    void flush();
    void poll_after(std::chrono::nanoseconds pause);
    void received(status answer);
    [[nodiscard]] bool may_read() const noexcept;
    [[nodiscard]] bool has_nothing_unsettled() const noexcept;
    bool send_next();
    void let_go_of_again();
    void start_send(flight& f);
    void sent(flight& f, status answer);
    void settle(flight& f);
    void settled(flight& f, status answer);
    void after_settle(flight& f);
    void send_again(flight& f);
    [[nodiscard]] bool may_send();
    void update_bytes() noexcept;
    void let_go(flight& f);
    flight& take_flight();

    void fail(std::string cause);
    void set_state(route_state state, std::string cause);

    void on_state(bool connected, std::string_view cause) override;
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) override;
    void on_count(std::string_view name, std::int64_t delta) override;
    void on_warning(std::string_view text) override;
    void on_bad_config(std::string_view text) override { fail(std::string{text}); }
    void on_misbehaviour(std::string_view text) override { fail(std::string{text}); }

    const route_definition definition_;
    const CustomEndpointFactory& endpoints_;
    const CustomMiddlewareFactory& middlewares_;
    logger& log_;
    boost::asio::any_io_executor executor_;
    mailbox box_;
    std::uint64_t turn_began_ns_ = 0;
    asio_timers clock_;
    ledger_counters counters_;
    counter bytes_in_flight_;
    std::function<void()> on_ended_;

    std::optional<input_chain> input_;
    std::optional<output_chain> output_;
    plain_acks acks_;
    receiving receive_;
    std::vector<std::unique_ptr<flight>> flights_;
    std::vector<flight*> spare_flights_;
    std::deque<flight*> ready_;  // received, not sent yet, in order
    std::deque<flight*> again_;  // to be sent again, in order; used where the output keeps the order of what is sent again
    bool keeps_order_ = false;   // it does
    bool gathers_ = false;       // something came back: nothing is started until everything in flight has
    std::uint32_t sending_ = 0;  // sends in flight
    std::uint64_t next_sequence_ = 0;
    std::uint32_t under_way_ = 0;  // flights in sending, pausing or settling
    std::uint32_t window_ = 1;
    bool wants_replies_ = false;
    bool is_connected_ = false;      // every handle was once
    bool input_ended_ = false;       // END: no more will come
    bool waits_for_empty_ = false;   // END in a drain: asked again when nothing is unsettled, since a message may come back
    bool asked_when_empty_ = false;  // the receive in flight was started with nothing unsettled
    bool holds_ = false;             // something was sent since the last flush
    flushing flush_;
    std::uint32_t quiet_errors_ = 0;  // receives in a row that failed
    route_timer poll_;                // until the input is asked again
    route_timer deadline_;            // of a shutdown: first what is in flight is cancelled, then it is left behind
    bool has_deadline_ = false;
    bool is_late_ = false;      // past the first deadline
    bool is_too_late_ = false;  // past the last
    bool stopping_ = false;     // no more reading
    bool failing_ = false;
    wake_up wake_;
    std::atomic<bool> stop_requested_{false};

    mutable std::mutex mutex_;  // guards what follows
    route_state state_ = route_state::starting;
    std::chrono::system_clock::time_point since_;
    std::string cause_;
    std::string blocked_;
    std::chrono::steady_clock::time_point started_;
    std::optional<std::chrono::steady_clock::time_point> ended_;
    bool abandoned_ = false;
};

}  // namespace mqb::core
