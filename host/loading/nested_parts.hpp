// nested_parts: the endpoints that one instance nests, made for it: connected before it is, and closed after it.
#pragma once

#include "core/consumer.hpp"
#include "core/event_relay.hpp"
#include "core/in_turn.hpp"
#include "core/mailbox.hpp"
#include "core/publisher.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace mqb::loading {

// One of them, an input or an output.
class nested_part {
public:
    virtual ~nested_part() = default;
    virtual core::status connect(core::call& c) = 0;
    virtual core::status close(core::call& c) = 0;
    virtual void cancel(core::call& c) = 0;
    virtual void listen(core::event_sink* sink) = 0;
    // Closes what was never connected, and waits for it.
    virtual boost::asio::awaitable<void> close_unused(core::mailbox& box) = 0;
};

// The route's side. Each keeps itself connected; the route stops and awaits their connections before it closes the instance.
class nested_parts final : private core::event_relay {
public:
    nested_parts() = default;
    nested_parts(const nested_parts&) = delete;
    nested_parts& operator=(const nested_parts&) = delete;

    // Before create; they end when this does.
    core::publisher& add(std::unique_ptr<core::publisher> one);
    core::consumer& add(std::unique_ptr<core::consumer> one);

    [[nodiscard]] bool is_connected() const noexcept { return is_connected_; }
    // One after the other. ok: all are; pending: `next` comes with the answer, once; else the answer. Texts are those of `asked`.
    core::status connect(core::call& asked, std::function<void(core::status)> next);
    [[nodiscard]] bool is_connecting(const core::call& asked) const noexcept { return asked_ == &asked; }
    void cancel_connect() { turns_.cancel(); }
    // As connect. All are closed; another answer than ok is the first failure.
    core::status close(core::call& asked, std::function<void(core::status)> next);
    // Hands them over to who gives up the instance before its first use.
    [[nodiscard]] std::vector<std::unique_ptr<nested_part>> take() noexcept { return std::exchange(parts_, {}); }
    // They end, closed or not: what they refer to is the route's, which the owner may outlive.
    void clear() noexcept;
    // Hears their states and faults. Lanes are the business of the one that nests.
    void listen(core::event_sink* sink);

private:
    struct own_call : core::call {
        nested_parts* self = nullptr;
    };
    [[nodiscard]] std::vector<nested_part*> all() const;
    core::status connected(core::status answer);
    core::status closed(core::status answer);
    void on_lanes_ending(std::span<const std::uint64_t>, std::uint64_t, std::uint64_t) override {}
    void on_lanes_ended(std::uint64_t) override {}

    std::vector<std::unique_ptr<nested_part>> parts_;
    bool is_connected_ = true;           // there are none
    core::call* asked_ = nullptr;        // while they connect
    core::call* close_asked_ = nullptr;  // while they close
    std::function<void(core::status)> connect_next_;
    std::function<void(core::status)> close_next_;
    own_call connecting_, closing_;
    core::in_turn<nested_part> turns_;
};

}  // namespace mqb::loading
