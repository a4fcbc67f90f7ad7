// running_route: the one coroutine of a route and what it works on. Private to the route's sources.
#pragma once

#include "core/call_pool.hpp"
#include "core/flight.hpp"
#include "core/leaf_gate.hpp"
#include "core/route_chain.hpp"
#include "core/route_worker.hpp"

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

class running_route;

// An empty send: whoever holds messages back ends that.
struct flushing : send_call {
    running_route* self = nullptr;
    publisher* to = nullptr;
    const char* path = nullptr;
    bool holds = false;   // something was sent, or came back, since the last one that worked
    bool is_new = false;  // and since the last one at all
    bool pending = false;
    status answer = status::ok;
};

// One way to the output: there are as many as workers, or one.
struct route_slot {
    std::size_t number = 0;
    publisher* top = nullptr;
    std::shared_ptr<route_worker> worker;  // none: it is the output itself
    std::deque<flight*> queue;             // with order_by: what only this one may send, in order
    std::uint32_t busy = 0;                // flights in sending, pausing or settling
    flushing flush;
};

// The public half (stop, pause, abandon, snapshot, ask_lag, …) may be called from any thread; everything else runs in the coroutine.
class running_route final : public std::enable_shared_from_this<running_route>, private event_sink, private failure_listener {
public:
    running_route(route_definition definition, const route_environment& in);
    ~running_route();

    void start(std::function<void()> on_ended);
    void stop();
    void pause();
    void resume();
    void abandon(std::string cause);
    void set_blocked(std::string cause);
    void ask_lag(std::function<void()> told);
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
    struct wake_up : mail {
        std::atomic<bool> posted{false};
    };
    struct lag_question : control_call {
        running_route* self = nullptr;
        bool pending = false;
    };
    struct last_word : control_call {
        status came = status::pending;
    };
    struct route_timer : timer {
        running_route* self = nullptr;
        bool pending = false;
    };

    // route_loop.cpp: the life of a route
    static boost::asio::awaitable<void> run(std::shared_ptr<running_route> self);
    boost::asio::awaitable<bool> make_chains();
    boost::asio::awaitable<bool> make_the_output();
    boost::asio::awaitable<bool> make_the_input();
    boost::asio::awaitable<bool> make_workers();
    [[nodiscard]] chain_parts parts(const route_definition& of);
    template <class Chain>
    boost::asio::awaitable<bool> close_half_made(Chain chain);
    template <class Chain, class Make>
    boost::asio::awaitable<bool> make_until_it_works(std::optional<Chain>& into, Make make);
    boost::asio::awaitable<bool> make_dead_letters();
    void set_up();
    boost::asio::awaitable<bool> pause_after(failure why, std::uint64_t pause_ns);
    boost::asio::awaitable<bool> connect_all();
    boost::asio::awaitable<bool> connect_one(consumer* c, publisher* p, const std::string& path);
    boost::asio::awaitable<void> move_messages();
    boost::asio::awaitable<bool> come_to_rest();
    boost::asio::awaitable<void> tell_of_end();
    boost::asio::awaitable<bool> close_all();
    boost::asio::awaitable<bool> close_workers();
    // unused: what is given up before the route has used it. The route goes on, so its deadline does not begin yet.
    enum class unused : bool { no, yes };
    boost::asio::awaitable<bool> close_worker(route_worker& w, unused is_unused);
    boost::asio::awaitable<bool> close_one(consumer* c, publisher* p, const std::string& path, unused is_unused = unused::no);
    void tell_of_close(status answer, const explanations& texts, const std::string& path);
    boost::asio::awaitable<void> until_mail();
    boost::asio::awaitable<void> let_others_run();
    [[nodiscard]] bool is_over() const noexcept;
    [[nodiscard]] bool is_at_rest() const noexcept;
    void end_pauses();
    void stop_links();
    void look_at_requests();
    void begin_stopping();
    [[nodiscard]] bool begins_emptying();
    [[nodiscard]] bool drains() const noexcept { return definition_.drain || empties_; }
    void set_deadline();
    void cancel_what_is_in_flight();
    void leave_behind();
    void finish();

    // route_reading.cpp
    bool read();
    void poll_after(std::chrono::nanoseconds pause);
    void received(status answer);
    void take_off();
    void divide();
    [[nodiscard]] bool may_read() const noexcept;
    [[nodiscard]] bool has_nothing_unsettled() const noexcept;
    void update_bytes() noexcept;
    flight& take_flight();

    // route_lag.cpp
    void ask_the_source();
    void lag_told(status answer);
    void answer_lag(std::optional<source_lag> now);

    // route_sending.cpp
    bool send_next();
    [[nodiscard]] flight* next_for(route_slot& s);
    void let_go_of_again();
    void let_go_of_all();
    [[nodiscard]] bool may_send();
    void begin_send(flight& f, route_slot& s);
    void start_send(flight& f);
    void sent(flight& f, status answer);
    void decide(flight& f, std::uint32_t k, flight::remainder& left);
    void tell_comes_again(const flight& f, std::size_t how_many, std::string_view what);
    [[nodiscard]] failure_note note_of(const flight& f, std::uint32_t k) const;

    // route_flush.cpp
    [[nodiscard]] bool is_flushing() const noexcept;
    [[nodiscard]] bool is_flush_pending() const noexcept;
    void set_up_flush(flushing& f, publisher& to, const char* path);
    void hold(flushing& f) noexcept { f.holds = f.is_new = true; }
    void flush(flushing& f);
    void flushed(flushing& f, status answer);
    boost::asio::awaitable<void> finish(std::vector<flushing*> all);
    [[nodiscard]] bool can_answer(const flushing& f) const;

    // route_settling.cpp
    void add_responses(flight& f);
    void settle(flight& f);
    void settled(flight& f, status answer);
    void after_settle(flight& f);
    void send_again(flight& f);
    void let_go(flight& f);

    void fail(std::string cause);
    void set_state(route_state state, std::string cause);
    // The state that the connections, a pause and a drain make up together.
    void update_state();
    void pause_for(std::string cause);
    void look_if_quiet();
    void set_trouble(std::string cause);
    [[nodiscard]] const std::string& cause_now() const;
    // `making_ns`: when what could not be made is made again.
    void note_next_try(std::uint64_t making_ns = 0);

    void on_state(bool connected, std::string_view cause) override;
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) override;
    void on_count(std::string_view name, std::int64_t delta) override;
    void on_warning(std::string_view text) override;
    void on_bad_config(std::string_view text) override { fail(std::string{text}); }
    void on_misbehaviour(std::string_view text) override { fail(std::string{text}); }
    void on_undeliverable(std::string_view why) override { fail(std::string{why}); }
    void on_dead_letters_stop(std::string_view why) override;
    [[nodiscard]] std::string without_secrets(std::string_view text) const override { return log_.without_secrets(text); }

    const route_definition definition_;
    route_definition without_middlewares_;  // of the output: what the workers share
    const route_environment in_;
    logger& log_;
    mailbox box_;
    std::uint64_t turn_began_ns_ = 0;
    asio_timers clock_;
    ledger_counters counters_;
    counter bytes_in_flight_;
    std::function<void()> on_ended_;

    chain_links links_;  // of nested endpoints
    std::optional<input_chain> input_;
    std::optional<output_chain> output_;
    static constexpr const char* dead_letters_path = "dead_letters.endpoint";
    std::vector<std::shared_ptr<void>> stuck_;        // half made, and did not come back from its close
    std::vector<nested_definition> dead_definition_;  // of `dead_letters`, where it is an endpoint
    std::unique_ptr<publisher> dead_target_;
    std::unique_ptr<dead_letter_store> dead_letters_;
    flushing dead_flush_;
    std::optional<leaf_gate> gate_;
    std::deque<route_slot> slots_;
    plain_acks acks_;
    receiving receive_;
    call_pool<flight> flights_;
    std::deque<flight*> ready_;     // received, not sent yet, in order
    std::deque<flight*> again_;     // to be sent again, in order; used where the output keeps the order of what is sent again
    std::deque<flight*> go_on_;     // whose next message is sent at once
    bool keeps_order_ = false;      // it does
    bool in_place_ = false;         // what fails for now is sent again from here, and not presented again
    bool one_by_one_ = false;       // a message is sent when the one before it has its outcome
    bool may_flush_ = false;        // an empty send may stand beside others
    std::uint64_t told_at_ns_ = 0;  // when the log was told last that messages come again
    bool can_nack_ = true;          // the input takes back what cannot be sent
    bool can_reject_ = true;        // and what can never be
    bool gathers_ = false;          // something came back: nothing is started until everything in flight has
    std::uint32_t sending_ = 0;     // sends in flight
    std::uint64_t next_sequence_ = 0;
    std::uint64_t received_when_asked_ = 0;  // what had been received in all before the receive in flight
    std::uint32_t under_way_ = 0;            // flights in sending, pausing or settling
    std::uint32_t queued_ = 0;               // in the queues of the slots
    std::uint32_t window_ = 1;               // flights of one slot
    bool wants_replies_ = false;
    bool is_connected_ = false;       // every handle was once
    bool input_ended_ = false;        // END: no more will come
    bool waits_for_empty_ = false;    // END in a drain: asked again when nothing is unsettled, since a message may come back
    bool asked_when_empty_ = false;   // the receive in flight was started with nothing unsettled
    std::uint32_t quiet_errors_ = 0;  // receives in a row that failed
    route_timer poll_;                // until the input is asked again
    route_timer deadline_;            // of a shutdown: first what is in flight is cancelled, then it is left behind
    route_timer startup_;             // until everything has to be connected
    bool is_late_ = false;            // past the first deadline
    bool is_too_late_ = false;        // past the last
    bool stopping_ = false;           // no more reading
    bool empties_ = false;            // stops when its source is empty: what is left in it would be lost
    bool hurries_ = false;            // and nothing is tried again
    bool failing_ = false;
    bool has_finished_ = false;  // nothing of it runs any more
    wake_up wake_;
    std::atomic<bool> stop_requested_{false};
    std::atomic<bool> pause_requested_{false};
    std::atomic<bool> lag_requested_{false};
    lag_question lag_question_;
    last_word last_word_;  // to the output
    bool paused_ = false;
    std::string pause_cause_;
    std::string lost_cause_;  // of a connection
    bool is_in_trouble_ = false;

    mutable std::mutex mutex_;  // guards what follows
    route_state state_ = route_state::starting;
    std::chrono::system_clock::time_point since_;
    std::string cause_;
    std::string blocked_;
    std::string trouble_;  // why messages come back from the output, until some are through
    std::chrono::steady_clock::time_point started_;
    std::optional<std::chrono::steady_clock::time_point> ended_;
    bool abandoned_ = false;
    std::uint64_t next_try_ns_ = 0;  // as in connection
    bool is_quiet_ = false;
    bool answers_lag_ = false;  // while messages move
    std::optional<source_lag> lag_;
    std::vector<std::function<void()>> lag_askers_;
};

}  // namespace mqb::core
