// fake_endpoint: what the fake sources and sinks have in common: connecting, answering at once or later, failing by script.
#pragma once

#include "core/call.hpp"
#include "core/consumer.hpp"
#include "core/mailbox.hpp"
#include "tests/shapes/failure_script.hpp"
#include "tests/shapes/journal.hpp"
#include "tests/shapes/other_thread.hpp"

#include <memory>
#include <random>
#include <vector>

namespace mqb::shapes {

// When a call is answered: in its start; by a mail of the route's own side; by another thread; each by chance.
enum class answers : std::uint8_t { at_once, by_mail, from_thread, mixed };

// What fakes need from the test around them. All of it outlives them.
struct surroundings {
    core::mailbox& box;
    journal& log;
    failure_script& script;
    other_thread& elsewhere;
    std::uint64_t seed = 1;
    std::function<void(class fake_endpoint*)> on_made;  // null: nobody asks
};

// Used on the route's side only.
class fake_endpoint {
public:
    // Drops the connection, as a broker does: what waits is answered `disconnected`.
    void drop_connection();
    [[nodiscard]] bool is_connected() const noexcept { return connected_; }
    void post_to_route(core::mail& m) { around_.box.put(m); }

protected:
    // A call that has not been answered yet.
    struct operation : core::mail {
        fake_endpoint* self = nullptr;
        core::call* what = nullptr;
        verb kind = verb::connect;
        std::optional<fault> wrong;
        bool posted = false;  // its mail is on its way
        bool cancelled = false;
        bool waits_its_turn = false;
        std::uint64_t sequence = 0;
        std::vector<core::outcome> decided;  // of a send, where that happens at its start
    };
    fake_endpoint(surroundings around, answers how) : around_(std::move(around)), how_(how), random_(around_.seed) {}
    virtual ~fake_endpoint() = default;

    // The answer to a call, with all its effects; pending: not yet.
    virtual core::status carry_out(operation& op) = 0;
    // Something of the effects that happens in the order of the starts.
    virtual void begun(operation& op) { (void)op; }
    virtual void connected_again() {}
    [[nodiscard]] virtual bool is_in_order() const { return false; }  // answers come in the order of the starts

    core::status start(verb kind, core::call& c, std::uint32_t count);
    core::status start_connect(core::call& c);
    core::status start_close(core::call& c);
    void cancel_call(core::call& c);
    // What waits for something is looked at again.
    void wake(verb kind);
    [[nodiscard]] std::size_t in_flight(verb kind) const;
    [[nodiscard]] bool chance(double p) { return std::uniform_real_distribution<double>{}(random_) < p; }
    void raise(std::function<void()> event);

    surroundings around_;
    answers how_;
    std::minstd_rand random_;
    bool connected_ = false;
    bool told_ = false;  // the caller knows that the connection is lost
    bool closed_ = false;
    bool was_connected_ = false;
    std::vector<std::unique_ptr<operation>> pending_;

private:
    struct raised : core::mail {
        std::function<void()> what;
    };
    void post(operation& op);
    void finish(operation& op);
    core::status answer_of(operation& op);
    std::uint64_t next_sequence_ = 0;
};

}  // namespace mqb::shapes
