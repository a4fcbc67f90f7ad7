// nested_parts: the endpoints and stores that one instance nests, made for it: connected before it is, and closed after it.
#pragma once

#include "core/consumer.hpp"
#include "core/reconnecting_publisher.hpp"
#include "core/timers.hpp"
#include "host/loading/store.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace mqb::loading {

// The route's side.
class nested_parts final : private core::event_sink {
public:
    nested_parts() = default;
    nested_parts(const nested_parts&) = delete;
    nested_parts& operator=(const nested_parts&) = delete;

    // Before create; they end when this does. The clock is the route's.
    core::publisher& add(std::unique_ptr<core::reconnecting_publisher> one, core::timers& clock);
    store& add(std::unique_ptr<store> one);

    [[nodiscard]] bool is_connected() const noexcept { return connected_ == parts_.size(); }
    // One after the other. ok: all are; pending: `next` comes with the answer, once; else the answer. Texts are those of `asked`.
    core::status connect(core::call& asked, std::function<void(core::status)> next);
    [[nodiscard]] bool is_connecting(const core::call& asked) const noexcept { return asked_ == &asked; }
    void cancel_connect();
    // As connect; ok: all are closed.
    core::status close(std::function<void()> next);
    // They end, closed or not: what they refer to is the route's, which the owner may outlive.
    void clear() noexcept;
    // Hears their states and faults. Lanes are the business of the one that nests.
    void listen(core::event_sink* sink);

private:
    struct part {
        std::unique_ptr<core::reconnecting_publisher> publisher;  // or
        std::unique_ptr<loading::store> store;
        template <class Does>
        auto with(Does does) {
            return publisher ? does(*publisher) : does(*store);
        }
    };
    struct own_call : core::call {
        nested_parts* self = nullptr;
    };
    struct own_timer : core::timer {
        nested_parts* self = nullptr;
    };
    core::status go_on_connecting();
    core::status go_on_closing();
    void answer_connect(core::status s);

    void on_state(bool connected, std::string_view cause) override;
    void on_count(std::string_view name, std::int64_t delta) override;
    void on_warning(std::string_view text) override;
    void on_bad_config(std::string_view text) override;
    void on_misbehaviour(std::string_view text) override;

    std::vector<part> parts_;
    core::timers* clock_ = nullptr;
    std::size_t connected_ = 0;  // the first so many
    std::size_t closed_ = 0;
    core::call* asked_ = nullptr;
    std::function<void(core::status)> connect_next_;
    std::function<void()> close_next_;
    own_call call_;    // to the part whose turn it is
    own_timer timer_;  // until a part is at rest
    core::event_sink* sink_ = nullptr;
};

}  // namespace mqb::loading
